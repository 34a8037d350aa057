// The keys of associations, and errors for associations without a foreign key.

import Rowan
import Testing

struct AssociationKeyTests {
    /// Programs can distinguish mistakes in associations by their errors.
    @Test func errorsOfRequests() throws {
        try Library.run { db, _ throws in
            let unknown = Table<Row>("award").belongsTo(Table<Row>("country"))
            #expect {
                try Table<Row>("award").all().including(required: unknown).fetchAll(db)
            } throws: { error in
                guard case RequestError.noForeignKey("award", "country", nil) = error else { return false }
                return "\(error)".hasPrefix("the schema has no foreign key from table award to table country")
            }
        }
    }

    /// The key of a to-many association is a plural, but the key of one of its rows is the singular.
    @Test func keysOfAssociationsToMany() throws {
        try Library.run { db, _ throws in
            let novels = Library.Author.books.forKey("novels")
            let joined = try Row.fetchAll(db, Library.Author.including(required: novels).order(\.id))
            #expect(Set(joined.flatMap(\.scopes.names)) == ["novel"])
            let all = try Row.fetchAll(db, Library.Author.including(all: novels).order(\.id))
            #expect(all.map { $0.prefetchedRows["novels"]?.count } == [2, 1, 0, 0])
            let keyed = Library.Author.hasMany(Library.Book.self, key: "kittens")
            #expect(try Row.fetchOne(db, Library.Author.including(optional: keyed))?.scopes["kitten"] != nil)
            let author = Library.Book.belongsTo(Library.Author.self, key: "writers")
            #expect(try Row.fetchOne(db, Library.Book.including(optional: author))?.scopes["writers"] != nil)
        }
    }
}
