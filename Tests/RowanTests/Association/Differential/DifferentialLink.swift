// The associations of the differential tests, each with its pairs of columns.

import Rowan

extension Differential {
    /// An association and its meaning.
    struct Link {
        /// The keys of its steps, in the singular and in the plural.
        var names: [(one: String, many: String)]
        var isToMany: Bool
        var steps: [Step]
        /// Creates the association, with a filter for its pivots.
        var make: (_ pivotFilter: (any SQLSpecificExpressible)?) -> any Association<Row, Row>

        var origin: Int { steps[0].origin }
        var table: Int { steps[steps.count - 1].table }
    }

    struct Step {
        var origin: Int
        var table: Int
        /// Columns of the origin, paired with the columns of the table that equal them.
        var pairs: [(Int, Int)]
    }

    private static func direct(
        _ holder: String, _ columns: [String]?, _ referred: String, isForward: Bool, isToMany: Bool, key: String? = nil,
        names: (one: String, many: String), _ make: @escaping () -> any Association<Row, Row>
    ) -> Link {
        let foreignKey = foreignKeys.first { $0.0 == holder && $0.2 == referred && (columns ?? $0.1) == $0.1 }!
        let (from, to) = (index(holder), index(referred))
        let pairs = zip(foreignKey.1, foreignKey.3).map { (tables[from].index($0), tables[to].index($1)) }
        let step =
            isForward
            ? Step(origin: from, table: to, pairs: pairs)
            : Step(origin: to, table: from, pairs: pairs.map { ($1, $0) })
        return Link(names: [names], isToMany: isToMany, steps: [step], make: { _ in make() })
    }

    private static func belongs(
        _ origin: String, to destination: String, _ columns: [String]? = nil, key: String? = nil
    ) -> Link {
        let name = key ?? destination
        return direct(
            origin, columns, destination, isForward: true, isToMany: false, names: (name, key ?? destination)
        ) {
            Rowan.Table<Row>(origin).belongsTo(
                Rowan.Table<Row>(destination), key: key, using: columns.map { ForeignKey($0) })
        }
    }

    private static func many(
        _ origin: String, _ destination: String, _ columns: [String]? = nil, key: String? = nil
    ) -> Link {
        let names =
            key.map { (one(of: $0), $0) } ?? (destination, destination == "country" ? "countries" : "\(destination)s")
        return direct(destination, columns, origin, isForward: false, isToMany: true, names: names) {
            Rowan.Table<Row>(origin).hasMany(
                Rowan.Table<Row>(destination), key: key, using: columns.map { ForeignKey($0) })
        }
    }

    /// The singular of a key.
    private static func one(of key: String) -> String { key.hasSuffix("s") ? String(key.dropLast()) : key }

    private static func one(_ origin: String, _ destination: String) -> Link {
        direct(destination, nil, origin, isForward: false, isToMany: false, names: (destination, destination)) {
            Rowan.Table<Row>(origin).hasOne(Rowan.Table<Row>(destination))
        }
    }

    private static func through(_ pivot: Link, _ target: Link, key: String? = nil) -> Link {
        let isToMany = pivot.isToMany || target.isToMany
        var names = pivot.names + target.names
        if let key { names[names.count - 1] = (isToMany ? one(of: key) : key, key) }
        return Link(names: names, isToMany: isToMany, steps: pivot.steps + target.steps) { filter in
            func filtered<A: Association>(_ association: A) -> any Association<Row, Row>
            where A.OriginRowDecoder == Row, A.RowDecoder == Row {
                if let filter { association.filter(filter.sqlExpression) } else { association }
            }
            return joined(filtered(pivot.make(nil)), target.make(nil), origin: tables[pivot.origin].name, isToMany, key)
        }
    }

    private static func joined(
        _ pivot: any Association<Row, Row>, _ target: any Association<Row, Row>, origin: String, _ isToMany: Bool,
        _ key: String?
    ) -> any Association<Row, Row> {
        func many<P: Association, T: Association>(_ pivot: P, _ target: T) -> any Association<Row, Row>
        where P.OriginRowDecoder == Row, P.RowDecoder == Row, T.OriginRowDecoder == Row, T.RowDecoder == Row {
            Rowan.Table<Row>(origin).hasMany(Row.self, through: pivot, using: target, key: key)
        }
        func one<P: AssociationToOne, T: AssociationToOne>(_ pivot: P, _ target: T) -> any Association<Row, Row>
        where P.OriginRowDecoder == Row, P.RowDecoder == Row, T.OriginRowDecoder == Row, T.RowDecoder == Row {
            Rowan.Table<Row>(origin).hasOne(Row.self, through: pivot, using: target, key: key)
        }
        func one<P: AssociationToOne>(_ pivot: P) -> any Association<Row, Row>
        where P.OriginRowDecoder == Row, P.RowDecoder == Row {
            switch target {
            case let target as BelongsToAssociation<Row, Row>: one(pivot, target)
            case let target as HasOneAssociation<Row, Row>: one(pivot, target)
            default: one(pivot, target as! HasOneThroughAssociation<Row, Row>)
            }
        }
        if isToMany { return many(pivot, target) }
        switch pivot {
        case let pivot as BelongsToAssociation<Row, Row>: return one(pivot)
        case let pivot as HasOneAssociation<Row, Row>: return one(pivot)
        default: return one(pivot as! HasOneThroughAssociation<Row, Row>)
        }
    }

    /// All associations.
    static func makeLinks() -> [Link] {
        let author = belongs("book", to: "author", ["authorId"])
        let books = many("author", "book", ["authorId"])
        let country = belongs("author", to: "country")
        let authors = many("country", "author")
        let awards = many("book", "award")
        let awardBook = belongs("award", to: "book")
        let pupils = many("author", "author", ["mentorId"], key: "pupils")
        let mentor = belongs("author", to: "author", ["mentorId"], key: "mentor")
        let passports = many("author", "passport")
        let papers = many("country", "passport")
        let citizen = belongs("passport", to: "author")
        let visited = belongs("passport", to: "country")
        let regions = many("country", "region")
        let towns = many("region", "town")
        let region = belongs("town", to: "region")
        let regionCountry = belongs("region", to: "country")
        let profile = one("author", "profile")
        let countryBooks = through(authors, books)
        return [
            author, books, country, authors, awards, awardBook, pupils, mentor, passports, papers, citizen, visited,
            regions, towns, region, regionCountry, profile, belongs("profile", to: "author"),
            belongs("book", to: "author", ["editorId"], key: "editor"),
            many("author", "book", ["editorId"], key: "edited"),
            through(books, awards), countryBooks, through(papers, citizen, key: "citizens"),
            through(passports, visited, key: "visits"), through(author, country), through(awardBook, author),
            through(regions, towns), through(pupils, books, key: "pupilBooks"), through(countryBooks, awards),
            through(region, regionCountry), through(author, profile), through(mentor, mentor, key: "elder"),
            through(pupils, pupils, key: "grandpupils"),
        ]
    }
}
