/*
** Stop words of languages that have a stemmer: articles, pronouns, prepositions, conjunctions, auxiliary verbs and the
** like. The lists are our own. The version of the stemmers doesn't cover them: a change of a list needs a rebuild of the
** indexes that use it, and a line in CHANGELOG.md.
*/
static const struct {
    const char *language;
    const char *words;
} amalgam_stop_words[] = {
    {"arabic",
     "أم أن أنا أنت أنتم أو أي أيضا إذا إلى إن التي الذي الذين بعد بعض بل به بها بين تكون تلك ثم حتى حيث ذلك على "
     "عليه عليها عن عند غير في فيه فيها قبل قد كان كانت كانوا كل كما لا لقد لكن لم لن له لها لو ليس ليست ما مع من "
     "منذ منه منها نحن هذا هذه هم هن هو هي يكون"},
    {"catalan",
     "a això al allò als amb aquell aquella aquelles aquells aquest aquesta aquestes aquests com d de del dels des "
     "el ell ella elles ells els em en ens entre era eren es estan està et fins ha han hem heu hi ho i jo l la les "
     "li llur llurs m me meu meva meves mi molt més n ni no nos nosaltres o on pel pels per perquè però quan que "
     "qui què s sa se sense ser seu seus seva seves si sobre sota són també te tu un una unes uns us va van "
     "vosaltres vostre és"},
    {"danish",
     "ad af alle alt anden at blev blive bliver da de dem den denne der deres det dette dig din disse dog du efter "
     "eller en end er et for fra ham han hans har havde have hende hendes her hos hun hvad hvem hver hvis hvor "
     "hvordan i ikke ind jeg jer jo kan kunne man med meget men mig min mine mit mod nogen noget nogle nu når og "
     "også om op os over på selv sig sin sine sit skal skulle som så til ud under var ved vi vil ville vor være "
     "været"},
    {"dutch",
     "aan al alles als altijd andere ben bij daar dan dat de der deze die dit doch door dus een en er ge geen had "
     "hadden heb hebben heeft hem het hier hij hoe hun ik in is ja je jij jou jouw kan kon kunnen maar me meer men "
     "met mij mijn moet na naar niet niets nog nu of om omdat ons onze ook op over te tegen toch toen tot u uit uw "
     "van veel voor want waren was wat we wel werd werden wie wij wil worden wordt zal ze zelf zich zij zijn zo "
     "zonder zou"},
    {"english",
     "a about after again all also am an and any are as at be because been before being between both but by can "
     "could d did do does doing during each few for from further had has have having he her here hers herself him "
     "himself his how i if in into is it its itself just ll m me more most my myself no nor not now of off on once "
     "only or other our ours ourselves out over own re s same she should so some such t than that the their theirs "
     "them themselves then there these they this those through to too under until up ve very was we were what when "
     "where which while who whom why will with would you your yours yourself yourselves"},
    {"finnish",
     "ei eivät ellei emme en ennen et ette että he heidän heidät heihin heille heillä heitä hän häneen hänelle "
     "häneltä hänen hänestä hänet häntä itse ja jo joiden joissa joita joka jonka jos jossa josta jota jotka juuri "
     "kaikki kanssa keitä ken kenen ketkä koska kuin kuinka kuka kun kyllä me meidän meidät meille meillä meitä "
     "miksi mikä mikäli minua minulla minulle minun minut minä missä mistä mitä mukaan mutta muut myös ne niiden "
     "niin niissä niistä niitä noin nuo nyt näiden näissä näitä nämä ole olemme olen olet olette oli olimme olin "
     "olisi olit olivat olla olleet ollut on ovat poikki se sekä sen siellä sieltä siihen siinä siitä sille sillä "
     "sinne sinua sinulla sinun sinut sinä sitä tai te teidän teidät teille teitä tuo tämä tämän tänne tässä tästä "
     "tätä vaan vai vaikka vain vielä voi yli"},
    {"french",
     "afin ai aie ainsi alors après as au aucun aucune aussi autre aux auxquelles auxquels avaient avait avant "
     "avec avez avoir avons ayant c ce cela celle celles celui ces cet cette ceux chaque chez ci comme d dans de "
     "depuis des donc dont du duquel durant elle elles en encore entre es est et eu eux furent fut ici il ils j je "
     "jusqu l la laquelle le lequel les lesquelles lesquels leur leurs lors lorsque lui là m ma mais me mes moi "
     "mon même mêmes n ne ni nos notre nous on ont ou où par parce pas pendant peu peut plus pour pourquoi puis "
     "puisque qu quand que quel quelle quelles quels qui quoi s sa sans se sera serait ses si soi sois soit sommes "
     "son sont sous suis sur t ta tandis te tes toi ton tous tout toute toutes très tu un une vers voici voilà vos "
     "votre vous y à étaient était étant été être"},
    {"german",
     "aber alle allem allen aller alles als also am an auch auf aus bei bin bis bist da damit dann das dass "
     "dasselbe dein deine dem den denn der deren des dessen dich die dies diese diesem diesen dieser dieses dir "
     "doch dort du durch ein eine einem einen einer eines er es etwas euch euer eure für gegen gewesen hab habe "
     "haben hat hatte hatten hier hin hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im in ins ist ja jede "
     "jedem jeden jeder jedes jene jenem jenen jener kann kein keine keinem keinen keiner können könnte man manche "
     "mein meine meinem meinen meiner mich mir mit muss musste nach nicht nichts noch nun nur ob oder ohne sehr "
     "sein seine seinem seinen seiner seit selbst sich sie sind so solche soll sollte sondern sonst um und uns "
     "unser unsere unter viel vom von vor war waren warst was weil welche welchem welchen welcher welches wenn "
     "werde werden wie wieder will wir wird wirst wo wollen wurde wurden während würde würden zu zum zur zwar "
     "zwischen über"},
    {"greek",
     "ένα ένας έχει έχουν ή ήταν αλλά αν αντί από αυτά αυτές αυτή αυτοί αυτό αυτός για γιατί δεν είναι είχε εγώ "
     "εδώ εκεί εμείς ενώ επειδή εσείς εσύ η θα κάθε και κατά κι μία μας με μετά μη μην μια μου να ο οι παρά πιο "
     "ποια ποιο ποιος πολύ που πού προς πως σαν σας σε σου στα στη στην στις στο στον στους τα την της τι τις το "
     "τον του τους των τότε τώρα χωρίς ως όλα όλες όλοι όμως όπου όπως όταν ότι"},
    {"hindi",
     "अपना अपनी अपने आप इन इनके इस इसके इसे उन उनके उस उसके उसे एक और कर करना करने का कि किया किसी की कुछ के को "
     "कोई कौन क्या गई गए गया जब जा जो तक तब तुम तो था थी थे न नहीं ने पर बाद भी में मेरा मैं यह यहाँ या ये रहा रही "
     "रहे लिए वह वहाँ वे सकता सकती सकते साथ से हम हमारा ही हुआ हुई हुए है हैं हो होता होती होते"},
    {"hungarian",
     "a abban ahhoz ahogy ahol aki akik akkor alatt amely amelyek amelyet ami amit amíg arra az azok azon azt "
     "azután azért be csak de e egy egyes egyik el ellen elő először előtt ez ezek ezen ezt ezért fel felé ha "
     "hanem hogy hogyan hol ide igen ill illetve is itt jobban ki kívül közben köztük között le legyen lehet lenne "
     "lesz ma majd meg mely melyek mert mi mikor minden mindig mint mit mivel miért most még míg nagyon ne nekem "
     "neki nem nincs néha olyan ott pedig rá s saját se sem semmi sokkal szemben szerint talán te tehát több "
     "ugyanis után utána vagy vagyok van vannak vele vissza viszont volna volt voltak által általában át én és úgy "
     "ő ők őt"},
    {"indonesian",
     "ada adalah agar akan aku anda antara apa apabila apakah atas atau bagi bahwa baik banyak beberapa belum "
     "berada bisa bukan dalam dan dapat dari daripada demi dengan di dia dua guna hal hanya harus ia ialah ini itu "
     "jadi jika juga kalau kami kamu karena ke kepada kita lagi lain maka mana masih mereka namun oleh pada para "
     "pernah pula saat saja sambil sampai sangat saya sebagai sebelum sebuah sedang sehingga sejak selain seluruh "
     "semua seperti serta setelah setiap suatu sudah supaya tanpa telah tentang terhadap tetapi tidak untuk yaitu "
     "yang"},
    {"irish",
     "a ach ag agus an aon ar arna as b ba bhfuil bhí ceann chuig cuid cé d de den do dom don dá dár dóibh faoi "
     "faoin gach gan go gur i iad idir in ina inár is le leis lena lenár mar mo mura mé nach nuair ná ní níl nó os "
     "roimh sa san seo siad sibh sin sinn sé sí tar trí tá tú uile um é éigin í ó ón"},
    {"italian",
     "a ad agli ai al alla alle allo anche ancora avere aveva avevano avuto c che chi ci cioè col come con contro "
     "cui d da dagli dai dal dalla dalle dallo de degli dei del dell della delle dello dentro di dopo dove e ed "
     "era erano essere essi esso fa fra fu già gli ha hai hanno ho i il in io l la le lei li lo loro lui ma me "
     "mentre mi mia mie miei mio molto ne negli nei nel nell nella nelle nello noi non nostra nostre nostri nostro "
     "o od ogni oppure per perché però più poi prima pure qua quale quali quando quanto quella quelle quelli "
     "quello questa queste questi questo qui s sarà se sei sempre senza si sia siamo siete solo sono sopra sotto "
     "sta stata state stati stato su sua sue sugli sui sul sulla sulle sullo suo suoi sé tra tu tua tue tuo tuoi "
     "tutti tutto un una uno v vi voi vostra vostro è"},
    {"lithuanian",
     "ai apie ar arba aš bei bet buvo būti būtų dar dėl dėlto iki ir iš ja jai jais jau jei jeigu ji jie jiems jis "
     "jo jog jos juo juos jų kad kada kai kaip kas kiek kita kiti kitų kol kur kuri kurie kuris kurių ką labai "
     "mano mes mus mūsų ne nei nes nors nuo o pagal pas pat per po prie prieš pro savo su tai taip tam tame tas "
     "tau tavo tačiau ten tie tik to todėl tokia toks tos tu tuo tą už vis visi visų yra ėjo į"},
    {"norwegian",
     "alle andre at av bare ble blei bli blir da de deg dei deira deres det dette di din disse du dykk då eg ein "
     "eit eller en enn er et etter for fordi fra før ha hadde han hans har hennar henne hennes her hjå ho hos hun "
     "hva hvem hver hvilken hvis hvor hvordan hvorfor i ikke ikkje inn jeg kan kom korleis kunne kva kven kvifor "
     "man med meg mellom men mi min mine mitt mot mykje ned no noe noen noko nokon nå når og også om opp oss over "
     "på samme seg selv si sia siden sin sine sitt skal skulle slik som somme så til um upp ut uten var ved vere "
     "verte vi vil ville vore vort vår være vært å"},
    {"portuguese",
     "a ainda algo algum alguma ao aos aquela aquelas aquele aqueles aquilo as até cada com como da das de dela "
     "delas dele deles depois desde dessa desse desta deste do dos e ela elas ele eles em entre era eram essa "
     "essas esse esses esta estas estava este estes estou está estão eu foi foram há isso isto já la lhe lhes lo "
     "mais mas me mesmo meu meus minha minhas muito na nas nela nele nem nessa nesse nesta neste no nos nossa "
     "nosso num numa não nós o os ou para pela pelas pelo pelos perante pode por porque qual quando que quem quê "
     "se sem ser será seu seus sido sob sobre somos sou sua suas são só também te tem tendo ter teu teve tinha "
     "toda todas todo todos tu tua têm um uma umas uns você vocês vos à às é"},
    {"romanian",
     "a acea aceasta această aceea acei aceia acel acela acele acelea acest acesta aceste acestea acestei acestor "
     "acestui acești aceștia ai aici al ale alt alta alte altă alți am ar are as asupra atât au avea aveau avem "
     "avut azi aș așa ați care ce cea cei cel cele celor ci cine cu cui cum cumva câ când cât câte câtva că căci "
     "cărei cărui către da dacă dar de deci deși din dintr dintre doar după ea ei el ele era erau este eu eși fi "
     "fie fiecare fiind fost fără i iar la le li lor lui m mai mei mele meu mi mie mine mult multe mă ne nici "
     "niște noastră noi nostru nouă nu o ori orice pe pentru peste prea prin până s sa sale sau se spre sub sunt "
     "să săi său t ta tale te tine toate tot totul toți tu tuturor un una unde unei unele unii unor unui v voastră "
     "voi vom vor vostru vă îi îl îmi în înainte încât încă însă într între îți ți ție"},
    {"russian",
     "а без более бы был была были было быть в вам вас весь во вот все всего всех всё вы где да даже для до его ее "
     "если есть еще ещё её же за здесь и из или им их к как ко когда кто ли либо мне может мои мой мы на над надо "
     "наш не него нее нет неё ни них но ну о об однако он она они оно от очень по под после при с сам себя со так "
     "также такой там те тем то того тоже той только том тот ты у уже хотя чего чей чем что чтобы чье чья эта эти "
     "это этого этой этом этот эту я"},
    {"spanish",
     "a al algo alguna algunas alguno algunos algún ante antes aquel aquella aquellas aquello aquellos aquí así "
     "aunque aún cada como con contra cual cuales cuando cuál cuándo cómo de del desde después donde dos durante "
     "dónde e el ella ellas ellos en entre era eran eres es esa esas ese eso esos esta estaba estas este esto "
     "estos estoy está están fue fueron ha había habían han hasta hay he la las le les lo los me mi mientras mis "
     "mucho muchos muy más mí nada ni no nos nosotros nuestra nuestras nuestro nuestros o os otra otras otro otros "
     "para pero poco por porque pues que quien quienes quién qué se sea según ser si sido sin sino sobre sois "
     "somos son soy su sus suya suyo sí también tan tanto te tengo ti tiene tienen toda todas todo todos tu tus tú "
     "u un una unas uno unos vosotros vuestra vuestro y ya yo él"},
    {"swedish",
     "alla allt att av bara blev bli blir de dem den denna deras dess dessa det detta dig din dina ditt du där "
     "därför då efter eftersom ej eller en er era ert ett från för före ha hade han hans har henne hennes hon "
     "honom hur här i icke in ingen inget inom inte ja jag kan kunde man med mellan men mer mig min mina mitt mot "
     "mycket nej ni nu när någon något några och också om oss på redan samma sedan sig sin sina sitt själv ska "
     "skall skulle som så sådan sådana till under upp ut utan vad vara varför varit varje vars vart vem vi vid "
     "vilka vilken vilket vill vår våra vårt än är åt över"},
    {"turkish",
     "acaba ama ancak artık aslında aynı az bazı belki ben benden beni benim beri bile bir biri birkaç biz bize "
     "bizi bizim bu buna bunda bundan bunlar bunları bunların bunu bunun burada böyle da daha dahi de defa değil "
     "diye diğer dolayı en eğer fakat gibi göre hala hangi hatta hem henüz hep hepsi her herhangi hiç ile ilgili "
     "ise için işte kadar karşın kendi kendine kez ki kim kime kimse mi mu mü mı nasıl ne neden nedenle nerede "
     "niye niçin o olan olarak oldu olduğu olmak olsa olup on ona ondan onlar onların onu onun orada oysa pek "
     "rağmen sanki sen senin siz sizin son sonra tarafından tüm var ve veya ya yani yerine yine yoksa zaten çok "
     "çünkü öyle üzere şey şimdi şu şunu şöyle"},
};
