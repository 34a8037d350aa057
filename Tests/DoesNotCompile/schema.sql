-- rowan: record Spot place
CREATE TABLE place (id INTEGER PRIMARY KEY, title TEXT NOT NULL);
