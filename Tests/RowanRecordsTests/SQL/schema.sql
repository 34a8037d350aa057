-- The schema that the migrations create. DatabaseMigrator.writeSchema(to:) writes it, #sql reads it.
-- rowan: function distance/1
-- rowan: record Spot place

CREATE TABLE "place" ("id" INTEGER PRIMARY KEY AUTOINCREMENT, "title" TEXT NOT NULL, "remark" TEXT, "created" INTEGER);

CREATE VIRTUAL TABLE "note" USING fts5(text);

CREATE TABLE "town" ("name" TEXT);

CREATE INDEX "index_place_on_title" ON "place"("title");

CREATE INDEX town_far ON town(distance(name));

CREATE VIEW titled AS SELECT id, title FROM place -- a comment
;

CREATE TRIGGER named AFTER INSERT ON town BEGIN DELETE FROM note; END;
