import Amalgam

/// Words of a language, for tests of typed words: at least 100. The stems of most of them have fewer letters.
struct TypedLanguage {
    var language: SnowballLanguage
    var words: [String]

    private init(_ language: SnowballLanguage, _ words: String) {
        self.language = language
        self.words = words.split(separator: " ").map { String($0) }
    }

    static let all = [
        TypedLanguage(
            .german,
            """
            freundlich freundlichkeit freundlichkeiten freundschaft freunde freundin häuser häusern haus hauses kinder \
            kindern kindlich kindheit kindisch arbeit arbeiten arbeiter arbeiterin arbeitet arbeitslos arbeitslosigkeit \
            möglich möglichkeit möglichkeiten unmöglich wirklich wirklichkeit verwirklichung richtig richtigkeit \
            wichtigsten wichtigkeit einigung vereinigung vereinigungen regierung regierungen regieren regierten bücher \
            büchern buch buches musik musikalisch musiker praktisch praktiker politisch politik politiker fähigkeit \
            fähigkeiten unfähig sicherheit sicherheiten sicherlich unsicher übersetzung übersetzungen übersetzer \
            bildung bildungen abbildung gesundheit gesunde kranken krankheit krankheiten tanzen tänzerin tänzerinnen \
            schönste schönheit schönheiten laufen läufer läuferin spielend spielende spielten verständnis \
            verständnisse kenntnisse kenntnissen straße straßen größe größten außerhalb ewigkeit ewigen lustigsten \
            lustigkeit städte städtisch weltweit weltlich weltlichkeit singend langsam langsamkeit
            """),
        TypedLanguage(
            .french,
            """
            nationalité nationalités national nationaux nationale nation généralement général généraux généralité \
            continuellement continu continuité continuer continuation heureux heureuse heureusement bonheur création \
            créations créateur créatrice créatif créative créativité nécessité nécessaires nécessairement possible \
            possibilité possibilités impossible activement active activité activités actif philosophie philosophique \
            philosophes psychologie psychologique psychologues fréquence fréquences fréquent fréquemment constamment \
            constante constances bateaux bateau chevaux cheval travailler travailleurs travailleuse travaillait \
            travaillerions finissaient finissons finiront majestueusement majestueux majestueuses majesté \
            organisation organisations organisateur organiser organisables majorité minoritaires communiste \
            communisme communistes communication communiquer élèves élever élevage évidemment évident évidence \
            adorable adorables adoration amicalement amical amicaux amitié liberté libertés libération libérateur \
            solution solutions naïveté naïves difficulté difficultés dangereuse dangereusement
            """),
        TypedLanguage(
            .spanish,
            """
            nacionalidad nacionalidades nacional nacionales nación naciones generalmente general generalidad \
            generalización rápidamente rápido rápidos rapidez felizmente feliz felices felicidad felicidades creación \
            creaciones creador creadora creadores creativo creativa creatividad necesidad necesidades necesario \
            necesariamente posible posibilidad posibilidades imposible activamente activa actividad actividades \
            psicología psicológica psicólogos biología biológico frecuencia frecuencias frecuente \
            frecuentemente importancia importantes importante constancia constantemente trabajar trabajadores \
            trabajadora trabajábamos trabajarían comiendo comieron comíamos vivíamos vivieron viviendo amabilidad \
            amable amablemente responsabilidad responsabilidades responsable organización organizaciones organizador \
            organizar hermosa hermoso hermosamente hermosura canciones canción cantante cantantes cantaba libertad \
            libertades libremente solución soluciones universidad universidades universitario dándoselo comprarlo \
            comprándola decirme diciéndonos perseverancia perseverantes pequeñito dificultad dificultades peligrosa \
            peligrosamente
            """),
        TypedLanguage(
            .italian,
            """
            nazionalità nazionale nazionali nazione nazioni generalmente generale generalità generalizzazione \
            rapidamente rapido rapidità felicemente felice felicità creazione creazioni creatore creatrice creativo \
            creativa creatività necessità necessario necessariamente possibile possibilità impossibile attivamente \
            attiva attività attivo psicologia psicologica psicologi frequenza frequenze frequente frequentemente \
            importanza importanti costanza costantemente lavorare lavoratori lavoratrice lavoravamo lavorerebbero \
            mangiando mangiarono mangiavamo vivevamo vissero vivendo amabilità amabile amabilmente responsabilità \
            responsabile organizzazione organizzazioni organizzatore organizzare bellissima bellezza bellamente \
            canzoni canzone cantante cantanti cantava libertà liberamente soluzione soluzioni università universitario \
            dandoglielo comprarlo comprandola dirmi dicendoci perseveranza perseveranti difficoltà pericolosa \
            pericolosamente movimento movimenti mutamento sentimenti sentimentale finimento comunista comunismo \
            comunisti artistico artistica artistiche logicamente
            """),
        TypedLanguage(
            .russian,
            """
            национальность национальности национальный национальная нация нации общественность общественный \
            общественного общество возможность возможности возможный возможными невозможно деятельность деятельности \
            деятельный деятель работа работать работал работала работающий работавшими рабочий рабочего читать читаю \
            читаешь читающий читавшая прочитанный чтение чтения говорить говорил говорили говорящий разговор \
            разговаривая красивый красивая красивейший красивейшая красота красоты быстрый быстрее быстрейший быстрота \
            учитель учителя учительница учиться учился учащийся студентами студент студенты студенческий человек \
            человеческий человечность человечество город города городской городских страна страны странами великий \
            величайший величие решение решения решать решившийся решительность решительный счастье счастливый \
            счастливейший надежда надежды надеясь любовь любить любимый любимейшая писать писатель писательница \
            написанный крепость крепостной гибкость гибкостью молодость молодостью сложность сложностей важность
            """),
        TypedLanguage(
            .swedish,
            """
            nationalitet nationaliteter nationell nationella nationen nationerna möjlighet möjligheter möjligheterna \
            möjlig omöjligt frihet friheten friheterna fritt vänlig vänlighet vänligheten vänliga vänskap arbete arbeten \
            arbetare arbetarna arbetade arbetslös arbetslöshet lycklig lyckliga lyckligaste lyckan skapelse skapelser \
            skapelsen skapande skaparen rörelse rörelser rörelsen rörelsens rörlig rörliga berättelse berättelser \
            berättelserna berättade musik musiken musikaliska musikern politik politiken politiska politiker politikerna \
            flicka flickor flickorna pojkar pojkarna pojkarnas husen husets husens böckerna böcker boken vackra vackraste \
            vackrare snabbt snabbast snabbare snabbhet löst lösning lösningar lösningarna lösa klokheten klokaste \
            regering regeringar regeringens regerade bildning bildningen bilder bilderna kärlek kärleken kärleksfull \
            kärleksfullt tacksam tacksamhet tacksamma stadens städer städerna hopplös hopplöst hopplöshet meningslöst \
            meningsfullt undersökning undersökningarna undersökte
            """),
    ]
}
