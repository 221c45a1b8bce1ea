// 5,000 teams of 20 players each.

#ifndef WORKLOAD_LEAGUE_H
#define WORKLOAD_LEAGUE_H

#define LEAGUE_FILE "league.sqlite"

#define LEAGUE_TEAMS "CREATE TABLE team (id INTEGER PRIMARY KEY, name TEXT NOT NULL)"

#define LEAGUE_PLAYERS "\
CREATE TABLE player (\
id INTEGER PRIMARY KEY, teamId INTEGER NOT NULL REFERENCES team(id), name TEXT NOT NULL, score INTEGER NOT NULL)"

#define LEAGUE_INDEX "CREATE INDEX player_on_teamId ON player(teamId)"

#define LEAGUE_FILL_TEAMS "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 5000) \
INSERT INTO team SELECT n, 'Team ' || n FROM numbers"

// Players of one team are scattered over the table.
#define LEAGUE_FILL_PLAYERS "\
WITH RECURSIVE numbers(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM numbers WHERE n < 100000) \
INSERT INTO player SELECT n, 1 + n % 5000, 'Player number ' || n, n % 1000 FROM numbers"

#define LEAGUE_JOINED_PLAYERS 50000

#endif
