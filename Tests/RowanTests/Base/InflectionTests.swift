// Plurals and singulars of words and names.

import Foundation
import Rowan
import Testing

struct InflectionTests {
    private let inflections = Inflections.default

    @Test func wordsInBothDirections() {
        #expect(words.count >= 200)
        for (singular, plural) in words {
            #expect(inflections.pluralize(singular) == plural)
            #expect(inflections.singularize(plural) == singular)
            // Pluralizing a plural or singularizing a singular changes nothing.
            #expect(inflections.pluralize(plural) == plural)
            #expect(inflections.singularize(singular) == singular)
        }
    }

    @Test func otherPlurals() {
        for (plural, singular) in [
            "indexes": "index", "octopi": "octopus", "formulae": "formula", "axes": "axis", "antennae": "antenna",
        ] {
            #expect(inflections.singularize(plural) == singular)
        }
    }

    @Test func names() {
        let names = [
            "lineItem": "lineItems", "postalAddress": "postalAddresses", "salesPerson": "salesPeople",
            "LineItem": "LineItems", "Person": "People", "Mouse": "Mice", "Ox": "Oxen", "computerMouse": "computerMice",
            "firstAPI": "firstAPIs", "userID": "userIDs", "URL": "URLs", "HTTPServer": "HTTPServers",
            "line_item": "line_items", "LINE_ITEM": "LINE_ITEMS", "POSTAL_ADDRESS": "POSTAL_ADDRESSES",
            "SALES_PERSON": "SALES_PEOPLE", "_person": "_people", "player2": "players2", "goldFish": "goldFish",
            "Equipment": "Equipment", "oldDatum": "oldData", "café": "cafés", "naïveCity": "naïveCities",
            "ox": "oxen", "a": "as",
        ]
        for (singular, plural) in names {
            #expect(inflections.pluralize(singular) == plural)
            #expect(inflections.singularize(plural) == singular)
        }
    }

    @Test func whatIsNoWord() {
        for name in ["", "_", "name_", "a b!", "🐟", "\"", "?"] {
            #expect(inflections.singularize(name) == name)
        }
        for name in ["", "_", "name_", "a b!", "\""] { #expect(inflections.pluralize(name) == name) }
        #expect(inflections.singularize("s") == "s")
        #expect(inflections.pluralize("選手") == "選手s")
    }

    @Test func noRules() {
        let inflections = Inflections()
        #expect(inflections.pluralize("book") == "book")
        #expect(inflections.singularize("books") == "books")
    }

    @Test func addedRules() {
        var inflections = Inflections.default
        inflections.uncountableWords(["Sushi", "book"])
        inflections.irregularSuffix("bateau", "bateaux")
        inflections.plural("^(kol)os$", "$1oi")
        inflections.singular("^(kol)oi$", "$1os")
        let pairs = [
            "sushi": "sushi", "bigSushi": "bigSushi", "book": "book", "bateau": "bateaux",
            "grandBateau": "grandBateaux", "kolos": "koloi", "oldKolos": "oldKoloi", "person": "people",
        ]
        for (singular, plural) in pairs {
            #expect(inflections.pluralize(singular) == plural)
            #expect(inflections.singularize(plural) == singular)
        }
        // The rules of other inflections are unchanged.
        #expect(Inflections.default.pluralize("book") == "books")
    }

    @Test func addedRulesWinInReverseOrder() {
        var inflections = Inflections()
        inflections.plural("$", "s")
        inflections.plural("x$", "xen")
        inflections.irregularSuffix("man", "men")
        inflections.irregularSuffix("man", "mans")
        #expect(inflections.pluralize("box") == "boxen")
        #expect(inflections.pluralize("book") == "books")
        inflections = Inflections()
        inflections.irregularSuffix("man", "men")
        inflections.irregularSuffix("man", "mans")
        #expect(inflections.pluralize("fireman") == "firemans")
    }

    @Test func strings() {
        #expect("book".pluralized == "books")
        #expect("people".singularized == "person")
        #expect("lineItem".uppercasedFirst == "LineItem")
        #expect("éclair".uppercasedFirst == "Éclair")
        #expect("".uppercasedFirst == "")
    }
}

/// Singulars and plurals with all kinds of endings.
private let words: [(String, String)] = """
    book books, author authors, team teams, player players, house houses, warehouse warehouses, case cases, base bases,
    database databases, response responses, course courses, license licenses, phrase phrases, purchase purchases,
    release releases, exercise exercises, premise premises, rose roses, purpose purposes, nurse nurses, horse horses,
    cause causes, clause clauses, pause pauses, spouse spouses, excuse excuses, abuse abuses, fuse fuses, use uses,
    address addresses, class classes, process processes, business businesses, boss bosses, pass passes, glass glasses,
    actress actresses, access accesses, box boxes, tax taxes, fax faxes, prefix prefixes, suffix suffixes, mix mixes,
    branch branches, match matches, batch batches, search searches, church churches, watch watches, inch inches,
    wish wishes, dish dishes, brush brushes, flash flashes, crash crashes, hash hashes, waltz waltzes, buzz buzzes,
    prize prizes, size sizes, quiz quizzes, fez fezzes, topaz topazes, city cities, country countries, story stories,
    category categories, company companies, entry entries, query queries, party parties, baby babies, lady ladies,
    property properties, currency currencies, soliloquy soliloquies, day days, key keys, boy boys, toy toys, guy guys,
    journey journeys, essay essays, survey surveys, movie movies, cookie cookies, zombie zombies, calorie calories,
    pie pies, tie ties, lie lies, magpie magpies, leaf leaves, loaf loaves, thief thieves, calf calves, half halves,
    shelf shelves, bookshelf bookshelves, self selves, elf elves, wolf wolves, wife wives, housewife housewives,
    knife knives, life lives, scarf scarves, roof roofs, chief chiefs, belief beliefs, proof proofs, chef chefs,
    giraffe giraffes, cliff cliffs, wave waves, drive drives, archive archives, curve curves, move moves, glove gloves,
    olive olives, valve valves, photo photos, piano pianos, video videos, logo logos, radio radios, studio studios,
    zero zeros, memo memos, kangaroo kangaroos, potato potatoes, tomato tomatoes, hero heroes, echo echoes, veto vetoes,
    torpedo torpedoes, volcano volcanoes, mosquito mosquitoes, shoe shoes, canoe canoes, toe toes, foe foes,
    analysis analyses, crisis crises, thesis theses, hypothesis hypotheses, diagnosis diagnoses, oasis oases,
    parenthesis parentheses, synopsis synopses, ellipsis ellipses, axis axes, paralysis paralyses, iris irises,
    cactus cacti, fungus fungi, nucleus nuclei, radius radii, stimulus stimuli, syllabus syllabi, alumnus alumni,
    status statuses, bonus bonuses, virus viruses, campus campuses, census censuses, bus buses, focus focuses,
    octopus octopuses, walrus walruses, genius geniuses, corpus corpora, genus genera, plus pluses, menu menus,
    guru gurus, emu emus, matrix matrices, index indices, vertex vertices, appendix appendices, criterion criteria,
    phenomenon phenomena, datum data, medium media, bacterium bacteria, curriculum curricula, stratum strata,
    album albums, forum forums, museum museums, schema schemas, agenda agendas, formula formulas, antenna antennas,
    larva larvae, alga algae, man men, woman women, fireman firemen, chairwoman chairwomen, human humans,
    german germans, talisman talismans, specimen specimens, omen omens, person people, salesperson salespeople,
    child children, grandchild grandchildren, foot feet, tooth teeth, goose geese, mongoose mongooses, mouse mice,
    louse lice, blouse blouses, ox oxen, die dice, fish fish, goldfish goldfish, sheep sheep, deer deer, moose moose,
    series series, species species, aircraft aircraft, news news, equipment equipment, information information,
    software software, metadata metadata, police police, lens lenses, gas gases, alias aliases, atlas atlases,
    canvas canvases, bias biases, taxi taxis, ski skis, safari safaris, alibi alibis, emoji emojis, wiki wikis,
    stomach stomachs, monarch monarchs, epoch epochs, tech techs, cache caches, headache headaches, niche niches,
    avalanche avalanches, award awards, language languages, age ages, image images, page pages, village villages,
    judge judges, tree trees, employee employees, committee committees, knee knees, bee bees, game games, table tables,
    recipe recipes, file files, role roles, price prices, device devices, service services, invoice invoices,
    device devices, event events, document documents, comment comments, payment payments, moment moments
    """
    .split(separator: ",").map { pair in
        let words = pair.split(whereSeparator: \.isWhitespace)
        return (String(words[0]), String(words[1]))
    }
