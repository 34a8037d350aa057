// The regular English endings are a few rules. The tables hold the words that those rules get wrong, in either
// direction.

extension Inflections {
    static let english: Inflections = {
        var rules = Inflections(english: ())
        rules.uncountableWords(
            """
            advice aircraft analytics athletics binoculars bison chaos chess cosmos cod deer economics electronics equipment ethics
            evidence feedback furniture genetics gymnastics hardware headquarters homework hovercraft information jeans
            knowledge linguistics luggage mathematics means metadata money moose multimedia music news offspring pajamas
            pants physics pliers police politics progress ramen rice salmon scissors series sheep shorts shrimp software
            spacecraft species swine tennis traffic trousers trout tweezers watercraft weather wildlife
            """.split(whereSeparator: \.isWhitespace).map(String.init))
        for (singular, plural) in suffixes.pairs { rules.addIrregular(singular, plural, isWord: false) }
        for (singular, plural) in words.pairs { rules.addIrregular(singular, plural, isWord: true) }
        return rules
    }()

    /// Words, and endings of longer words. The longest match wins: `human` does not follow `man`.
    private static let suffixes = """
        man men, woman women, human humans, german germans, roman romans, norman normans, shaman shamans,
        talisman talismans, ottoman ottomans, caiman caimans, specimen specimens, abdomen abdomens, regimen regimens,
        stamen stamens, lumen lumens, person people, child children, foot feet, tooth teeth, goose geese,
        mongoose mongooses, mouse mice, fish fish, quiz quizzes, topaz topazes, passerby passersby,
        leaf leaves, loaf loaves, thief thieves, calf calves, half halves, shelf shelves, self selves, wolf wolves,
        wife wives, knife knives, scarf scarves, dwarf dwarves, wharf wharves, hoof hooves,
        potato potatoes, tomato tomatoes, torpedo torpedoes, volcano volcanoes, mosquito mosquitoes, tornado tornadoes,
        embargo embargoes, buffalo buffaloes, shoe shoes, canoe canoes, oboe oboes,
        hypothesis hypotheses, parenthesis parentheses, synthesis syntheses, thesis theses, crisis crises, oasis oases,
        emphasis emphases, diagnosis diagnoses, prognosis prognoses, neurosis neuroses, psychosis psychoses,
        synopsis synopses, ellipsis ellipses, metamorphosis metamorphoses, genesis geneses, nemesis nemeses,
        cactus cacti, fungus fungi, nucleus nuclei, radius radii, stimulus stimuli, syllabus syllabi, alumnus alumni,
        terminus termini, locus loci, bacillus bacilli, corpus corpora,
        excuse excuses, abuse abuses, fuse fuses, misuse misuses, reuse reuses, recluse recluses,
        alias aliases, atlas atlases, bias biases, canvas canvases, christmas christmases, iris irises,
        matrix matrices, index indices, vertex vertices, vortex vortices, appendix appendices, codex codices,
        criterion criteria, phenomenon phenomena, bacterium bacteria, curriculum curricula, memorandum memoranda,
        stratum strata, addendum addenda, symposium symposia, larva larvae, alumna alumnae, vertebra vertebrae,
        nebula nebulae, movie movies, cookie cookies, zombie zombies, calorie calories, selfie selfies,
        brownie brownies, rookie rookies, genie genies, prairie prairies, hoodie hoodies, smoothie smoothies,
        newbie newbies, freebie freebies, goalie goalies, sortie sorties, hippie hippies, junkie junkies, pixie pixies,
        veggie veggies, birdie birdies, budgie budgies, magpie magpies, necktie neckties, collie collies,
        foodie foodies, cache caches, headache headaches, toothache toothaches, avalanche avalanches, niche niches,
        cliche cliches, quiche quiches, moustache moustaches, stomach stomachs, monarch monarchs,
        patriarch patriarchs, matriarch matriarchs, oligarch oligarchs, epoch epochs, eunuch eunuchs, tech techs,
        menu menus, guru gurus, haiku haikus, emoji emojis, taxi taxis, safari safaris, bikini bikinis, alibi alibis,
        kiwi kiwis, khaki khakis, rabbi rabbis, tsunami tsunamis, salami salamis, martini martinis
        """

    /// Whole words only: unrelated words have the same endings.
    private static let words = """
        ox oxen, louse lice, die dice, life lives, afterlife afterlives, elf elves, omen omens, axe axes, axis axes,
        datum data, medium media, erratum errata, ovum ova, alga algae, genus genera, gas gases, lens lenses,
        yes yeses, use uses, muse muses, ruse ruses, toe toes, hoe hoes, foe foes, doe does, roe roes, aloe aloes,
        floe floes, woe woes, tiptoe tiptoes, hero heroes, superhero superheroes, echo echoes, veto vetoes,
        mango mangoes, domino dominoes, bowtie bowties, ache aches, fez fezzes, czech czechs, loch lochs,
        emu emus, gnu gnus, tutu tutus, ski skis, wiki wikis, api apis, uri uris, yeti yetis, deli delis, mini minis,
        octopus octopi, octopus octopuses, index indexes, index indices, matrix matrixes, matrix matrices,
        appendix appendixes, appendix appendices, vertex vertexes, vertex vertices, formula formulae,
        formula formulas, antenna antennae, antenna antennas
        """
}

extension String {
    /// `a b, c d`
    fileprivate var pairs: [(String, String)] {
        split(separator: ",").map { pair in
            let words = pair.split(whereSeparator: \.isWhitespace)
            return (String(words[0]), String(words[1]))
        }
    }
}

/// The regular endings. Words are in lower case.
enum EnglishEnding {
    /// How many bytes to remove from the end of a word, and what to append.
    typealias Change = (removed: Int, added: String)

    static func plural(of word: [UInt8]) -> Change {
        switch Last(word) {
        case "ss", "us", "x", "z", "ch", "sh": return (0, "es")
        case "sis", "xis": return (2, "es")
        case "is": return (0, "es")
        // Already a plural, such as `books`.
        case "s": return (0, "")
        case "y": return isVowel(beforeLast: word) ? (0, "s") : (1, "ies")
        default:
            // Digits, letters, and the letters of other scripts.
            guard let last = word.last, last >= 0x80 || last.isDigit || last &- 0x61 < 26 else { return (0, "") }
            return (0, "s")
        }
    }

    static func singular(of word: [UInt8]) -> Change {
        switch Last(word) {
        case "ss", "us", "is": return (0, "")
        case "ouses", "auses": return (1, "")
        case "sses", "shes", "ches", "uses", "xes", "zzes", "tzes", "oes": return (2, "")
        case "yses": return (2, "is")
        case "ies" where word.count > 4: return (3, "y")
        case "s" where word.count > 1: return (1, "")
        default: return (0, "")
        }
    }

    /// `boy`, but not `soliloquy`.
    private static func isVowel(beforeLast word: [UInt8]) -> Bool {
        guard word.count > 1, word[word.count - 2].isVowel else { return false }
        return !("qu" ~= Last(word.dropLast()))
    }

    /// The end of a word, to match with endings.
    private struct Last {
        let word: [UInt8]
        init(_ word: some Collection<UInt8>) { self.word = Array(word) }

        static func ~= (ending: StaticString, last: Last) -> Bool {
            let start = last.word.count - ending.utf8CodeUnitCount
            guard start >= 0 else { return false }
            for index in start..<last.word.count where last.word[index] != ending.utf8Start[index - start] {
                return false
            }
            return true
        }
    }
}

extension UInt8 {
    fileprivate var isVowel: Bool { self == 0x61 || self == 0x65 || self == 0x69 || self == 0x6F || self == 0x75 }
    fileprivate var isDigit: Bool { self &- 0x30 < 10 }
}
