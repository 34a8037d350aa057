// The regular English endings are a few rules. The tables hold the words that those rules get wrong, in both
// directions.

extension Inflections {
    static let english: Inflections = {
        var rules = Inflections(english: ())
        rules.uncountableWords(
            """
            acoustics advice aerobics aesthetics aircraft analytics athletics baggage barracks biceps binoculars bison
            bourgeois cattle chaos chassis chess chinese clothing cod corps cosmos crossroads debris deer economics
            electronics equipment ethics evidence feedback firmware forceps freeware furniture gallows garbage
            genetics goggles grouse gymnastics hardware headquarters hertz homework hovercraft information japanese
            jeans jewellery jewelry knowledge kudos laughter leggings lightning linguistics literature logistics
            luggage machinery malware mathematics means merchandise metadata middleware miniseries money moose
            multimedia music news offspring optics pajamas pants physics pliers poetry police politics pollution
            portuguese poultry progress pyjamas ramen reindeer rendezvous rice robotics rotorcraft rubbish salmon
            scenery scissors semantics series shareware sheep shorts shrimp software spacecraft species spyware
            stationery subspecies swine tennis tights tongs traffic triceps trousers trout tweezers underwear violence
            watercraft weather welfare whereabouts wildlife
            """.split(whereSeparator: \.isWhitespace).map(String.init))
        for (singular, plural) in suffixes.pairs { rules.addIrregular(singular, plural, isWord: false) }
        for (singular, plural) in words.pairs { rules.addIrregular(singular, plural, isWord: true) }
        return rules
    }()

    /// Words, and endings of longer words. The longest match wins: `human` does not follow `man`.
    private static let suffixes = """
        man men, woman women, human humans, german germans, roman romans, norman normans, shaman shamans,
        brahman brahmans, talisman talismans, ottoman ottomans, caiman caimans, specimen specimens, abdomen abdomens,
        regimen regimens, stamen stamens, lumen lumens, acumen acumens, cyclamen cyclamens, bitumen bitumens,
        person people, child children, foot feet, tooth teeth, goose geese, mongoose mongooses, mouse mice, fish fish,
        quiz quizzes, whiz whizzes, topaz topazes, passerby passersby, leaf leaves, loaf loaves, sheaf sheaves,
        thief thieves, calf calves, half halves, shelf shelves, self selves, wolf wolves, wife wives, knife knives,
        scarf scarves, dwarf dwarves, wharf wharves, hoof hooves, potato potatoes, tomato tomatoes, torpedo torpedoes,
        volcano volcanoes, mosquito mosquitoes, tornado tornadoes, embargo embargoes, buffalo buffaloes,
        cargo cargoes, motto mottoes, grotto grottoes, mistletoe mistletoes, throe throes, shoe shoes, canoe canoes,
        oboe oboes, hypothesis hypotheses, parenthesis parentheses, synthesis syntheses, thesis theses, crisis crises,
        oasis oases, emphasis emphases, diagnosis diagnoses, prognosis prognoses, neurosis neuroses,
        psychosis psychoses, synopsis synopses, ellipsis ellipses, metamorphosis metamorphoses, genesis geneses,
        nemesis nemeses, symbiosis symbioses, thrombosis thromboses, hypnosis hypnoses, mitosis mitoses,
        metastasis metastases, catharsis catharses, praxis praxes, mantis mantises, trellis trellises,
        pelvis pelvises, polis polises, clematis clematises, marquis marquises, pancreas pancreases,
        rhinoceros rhinoceroses, thermos thermoses, ethos ethoses, cactus cacti, fungus fungi, nucleus nuclei,
        radius radii, stimulus stimuli, syllabus syllabi, alumnus alumni, terminus termini, locus loci,
        bacillus bacilli, modulus moduli, sarcophagus sarcophagi, colossus colossi, corpus corpora, excuse excuses,
        abuse abuses, fuse fuses, misuse misuses, reuse reuses, recluse recluses, hypotenuse hypotenuses,
        masseuse masseuses, alias aliases, atlas atlases, bias biases, canvas canvases, christmas christmases,
        iris irises, matrix matrices, index indices, vertex vertices, vortex vortices, appendix appendices,
        codex codices, helix helices, cortex cortices, radix radices, criterion criteria, phenomenon phenomena,
        bacterium bacteria, curriculum curricula, memorandum memoranda, stratum strata, addendum addenda,
        symposium symposia, quantum quanta, spectrum spectra, millennium millennia, automaton automata, hedron hedra,
        ganglion ganglia, mitochondrion mitochondria, stigma stigmata, supernova supernovae, minutia minutiae,
        tableau tableaux, chateau chateaux, bureau bureaus, plateau plateaus, graffito graffiti, paparazzo paparazzi,
        larva larvae, alumna alumnae, vertebra vertebrae, nebula nebulae, movie movies, cookie cookies,
        zombie zombies, calorie calories, selfie selfies, brownie brownies, rookie rookies, genie genies,
        prairie prairies, hoodie hoodies, smoothie smoothies, newbie newbies, freebie freebies, goalie goalies,
        sortie sorties, hippie hippies, junkie junkies, pixie pixies, veggie veggies, birdie birdies, budgie budgies,
        magpie magpies, necktie neckties, collie collies, foodie foodies, groupie groupies, indie indies,
        menagerie menageries, reverie reveries, roadie roadies, rotisserie rotisseries, patisserie patisseries,
        brasserie brasseries, yuppie yuppies, auntie aunties, beanie beanies, bookie bookies, cutie cuties,
        techie techies, talkie talkies, coterie coteries, oldie oldies, sweetie sweeties, doggie doggies,
        eerie eeries, camaraderie camaraderies, lingerie lingeries, bogie bogies, boogie boogies,
        bourgeoisie bourgeoisies, caddie caddies, cache caches, headache headaches, toothache toothaches,
        backache backaches, heartache heartaches, earache earaches, stomachache stomachaches, avalanche avalanches,
        niche niches, cliche cliches, quiche quiches, moustache moustaches, mustache mustaches, tranche tranches,
        creche creches, pastiche pastiches, brioche brioches, fiche fiches, psyche psyches, stomach stomachs,
        monarch monarchs, patriarch patriarchs, matriarch matriarchs, oligarch oligarchs, epoch epochs,
        eunuch eunuchs, tech techs, menu menus, guru gurus, haiku haikus, emoji emojis, taxi taxis, safari safaris,
        bikini bikinis, alibi alibis, kiwi kiwis, khaki khakis, rabbi rabbis, tsunami tsunamis, salami salamis,
        martini martinis, panini paninis, wasabi wasabis, sudoku sudokus
        """

    /// Whole words only: unrelated words have the same endings.
    private static let words = """
        ox oxen, louse lice, die dice, life lives, afterlife afterlives, elf elves, omen omens, axe axes, axis axes,
        datum data, medium media, erratum errata, ovum ova, alga algae, genus genera, gas gases, lens lenses,
        yes yeses, use uses, muse muses, ruse ruses, toe toes, hoe hoes, foe foes, doe does, roe roes, aloe aloes,
        floe floes, woe woes, tiptoe tiptoes, hero heroes, superhero superheroes, echo echoes, veto vetoes,
        mango mangoes, domino dominoes, bowtie bowties, ache aches, fez fezzes, czech czechs, loch lochs, emu emus,
        gnu gnus, tutu tutus, ski skis, wiki wikis, api apis, uri uris, yeti yetis, deli delis, mini minis,
        testis testes, basis bases, base bases, nova novae, biogas biogases, stadium stadia, stadium stadiums,
        aquarium aquaria, aquarium aquariums, maximum maxima, maximum maximums, minimum minima, minimum minimums,
        optimum optima, optimum optimums, momentum momenta, momentum momentums, referendum referenda,
        referendum referendums, consortium consortia, consortium consortiums, virus viri, virus viruses, focus foci,
        focus focuses, stylus styli, stylus styluses, thesaurus thesauri, thesaurus thesauruses,
        hippopotamus hippopotami, hippopotamus hippopotamuses, syllabus syllabuses, syllabus syllabi, schema schemata,
        schema schemas, persona personae, persona personas, amoeba amoebae, amoeba amoebas, bureau bureaux,
        bureau bureaus, plateau plateaux, plateau plateaus, octopus octopi, octopus octopuses, index indexes,
        index indices, matrix matrixes, matrix matrices, appendix appendixes, appendix appendices, vertex vertexes,
        vertex vertices, formula formulae, formula formulas, antenna antennae, antenna antennas
        """
}

extension String {
    fileprivate var pairs: [(String, String)] {
        split(separator: ",").map { pair in
            let words = pair.split(whereSeparator: \.isWhitespace)
            return (String(words[0]), String(words[1]))
        }
    }
}

/// The regular endings. Words are in lower case.
enum EnglishEnding {
    /// The number of bytes to remove from the end of a word, and the text to append.
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

    /// The end of a word, to match against endings.
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
