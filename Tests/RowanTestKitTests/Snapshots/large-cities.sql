SELECT "id", "name", "population" FROM "city" WHERE "population" > ?
-- [1000]
