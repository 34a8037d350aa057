INSERT INTO city (name, population) VALUES ('Ulm', 129942);
INSERT INTO street (cityID, name) VALUES (1, 'Neue Straße'), (1, 'Hirschstraße');
