// The plurals and singulars of several hundred ordinary nouns, by their endings.

import Rowan
import Testing

private let pairs: [(String, String)] = """
    sheaf sheaves, midwife midwives, penknife penknives, jackknife jackknives, werewolf werewolves, yourself yourselves,
    cloverleaf cloverleaves, meatloaf meatloaves, reef reefs, brief briefs, beef beefs, relief reliefs, grief griefs,
    handkerchief handkerchiefs, mischief mischiefs, safe safes, cafe cafes, carafe carafes, serf serfs, gulf gulfs,
    turf turfs, staff staffs, cuff cuffs, sheriff sheriffs, tariff tariffs, plaintiff plaintiffs, oaf oafs, waif waifs,
    motif motifs, spoof spoofs, massif massifs, sleeve sleeves, nerve nerves, slave slaves, cave caves, hive hives,
    stave staves, native natives, executive executives, perspective perspectives, believe believes, olive olives,

    scenario scenarios, ratio ratios, portfolio portfolios, patio patios, cameo cameos, stereo stereos, solo solos,
    soprano sopranos, casino casinos, avocado avocados, burrito burritos, taco tacos, tattoo tattoos, igloo igloos,
    zoo zoos, disco discos, euro euros, kilo kilos, limo limos, rhino rhinos, hippo hippos, combo combos, promo promos,
    demo demos, repo repos, typo typos, todo todos, macro macros, metro metros, silo silos, tempo tempos, torso torsos,
    two twos, turbo turbos, ego egos, nacho nachos, manifesto manifestos, memento mementos, tuxedo tuxedos,
    commando commandos, albino albinos, espresso espressos, dodo dodos, concerto concertos, virtuoso virtuosos,
    cargo cargoes, motto mottoes, grotto grottoes, tornado tornadoes, embargo embargoes, buffalo buffaloes,
    domino dominoes, mango mangoes, halo halos, ghetto ghettos, dynamo dynamos, flamingo flamingos, oboe oboes,
    horseshoe horseshoes, overshoe overshoes, snowshoe snowshoes, throe throes, mistletoe mistletoes,

    apparatus apparatuses, circus circuses, chorus choruses, consensus consensuses, crocus crocuses, exodus exoduses,
    fetus fetuses, hiatus hiatuses, hippopotamus hippopotamuses, lotus lotuses, minus minuses, nexus nexuses,
    platypus platypuses, prospectus prospectuses, sinus sinuses, surplus surpluses, abacus abacuses, callus calluses,
    omnibus omnibuses, minibus minibuses, ignoramus ignoramuses, stylus styluses, opus opuses, modulus moduli,
    sarcophagus sarcophagi, colossus colossi, hypotenuse hypotenuses, masseuse masseuses, ruse ruses, muse muses,
    grouse grouse, greenhouse greenhouses, lighthouse lighthouses, penthouse penthouses, applause applauses,

    basis bases, antithesis antitheses, photosynthesis photosyntheses, prosthesis prostheses, symbiosis symbioses,
    thrombosis thromboses, hypnosis hypnoses, metastasis metastases, catharsis catharses, catalysis catalyses,
    dialysis dialyses, electrolysis electrolyses, praxis praxes, testis testes, mantis mantises, trellis trellises,
    pelvis pelvises, metropolis metropolises, acropolis acropolises, marquis marquises, clematis clematises,
    franchise franchises, noise noises, promise promises, rise rises, enterprise enterprises, disguise disguises,
    dose doses, nose noses, hose hoses, diocese dioceses, cheese cheeses, sense senses, expense expenses,
    pancreas pancreases, rhinoceros rhinoceroses, thermos thermoses, ethos ethoses, biogas biogases, yes yeses,
    compass compasses, albatross albatrosses, waitress waitresses, fortress fortresses, success successes,
    lioness lionesses, cross crosses, mattress mattresses, illness illnesses, witness witnesses, hostess hostesses,

    fox foxes, complex complexes, annex annexes, reflex reflexes, hex hexes, apex apexes, lynx lynxes, onyx onyxes,
    phoenix phoenixes, duplex duplexes, climax climaxes, syntax syntaxes, hoax hoaxes, larynx larynxes, sphinx sphinxes,
    equinox equinoxes, paradox paradoxes, mailbox mailboxes, inbox inboxes, checkbox checkboxes, remix remixes,
    sex sexes, helix helices, cortex cortices, radix radices, vortex vortices, codex codices, subindex subindices,
    blitz blitzes, quartz quartzes, klutz klutzes, whiz whizzes, maze mazes, breeze breezes, gauze gauzes, fizz fizzes,

    bench benches, beach beaches, coach coaches, speech speeches, sketch sketches, switch switches, patch patches,
    torch torches, trench trenches, wrench wrenches, witch witches, stitch stitches, sandwich sandwiches,
    ostrich ostriches, research researches, approach approaches, arch arches, launch launches, lunch lunches,
    porch porches, peach peaches, cockroach cockroaches, touch touches, couch couches, pouch pouches, crutch crutches,
    ranch ranches, finch finches, wristwatch wristwatches, matriarch matriarchs, oligarch oligarchs, eunuch eunuchs,
    mustache mustaches, moustache moustaches, tranche tranches, creche creches, pastiche pastiches, brioche brioches,
    microfiche microfiches, backache backaches, heartache heartaches, earache earaches, stomachache stomachaches,
    toothache toothaches, psyche psyches, cliche cliches, eyelash eyelashes, leash leashes, marsh marshes, bush bushes,
    radish radishes, paintbrush paintbrushes, toothbrush toothbrushes,

    monkey monkeys, valley valleys, attorney attorneys, trolley trolleys, chimney chimneys, turkey turkeys, proxy proxies,
    penny pennies, agency agencies, ability abilities, library libraries, gallery galleries, delivery deliveries,
    policy policies, inventory inventories, history histories, butterfly butterflies, colloquy colloquies, spy spies,
    sky skies, fly flies, ally allies, buoy buoys, convoy convoys, alloy alloys, eye eyes, dye dyes, relay relays,
    groupie groupies, indie indies, menagerie menageries, reverie reveries, roadie roadies, rotisserie rotisseries,
    patisserie patisseries, brasserie brasseries, yuppie yuppies, auntie aunties, beanie beanies, bookie bookies,
    cutie cuties, techie techies, talkie talkies, coterie coteries, oldie oldies, sweetie sweeties, doggie doggies,
    eerie eeries, camaraderie camaraderies, lingerie lingeries, bogie bogies, bourgeoisie bourgeoisies, boogie boogies,

    stadium stadiums, aquarium aquariums, premium premiums, podium podiums, gymnasium gymnasiums, vacuum vacuums,
    ultimatum ultimatums, asylum asylums, serum serums, auditorium auditoriums, quantum quanta, spectrum spectra,
    millennium millennia, symposium symposia, automaton automata, polyhedron polyhedra, ganglion ganglia,
    mitochondrion mitochondria, electron electrons, neuron neurons, salon salons, minutia minutiae, supernova supernovae,
    nova novae, opera operas, visa visas, area areas, idea ideas, quota quotas, camera cameras, dogma dogmas,
    stigma stigmata, tableau tableaux, chateau chateaux, bureau bureaus, plateau plateaus,

    spokesman spokesmen, policewoman policewomen, superhuman superhumans, brahman brahmans, acumen acumens,
    cyclamen cyclamens, regimen regimens, godchild godchildren, stepchild stepchildren, layperson laypeople,
    eyetooth eyeteeth, forefoot forefeet, dormouse dormice, titmouse titmice, passerby passersby, afterlife afterlives,
    root roots, boot boots, booth booths, tablecloth tablecloths, wildebeest wildebeests, graffito graffiti,
    paparazzo paparazzi, handicraft handicrafts, stepson stepsons, handful handfuls, teaspoonful teaspoonfuls,
    statistic statistics, graphic graphics, metric metrics, topic topics, tactic tactics, critic critics, fabric fabrics,
    edge edges, experience experiences, switch switches, search searches, newsletter newsletters, stack stacks,
    sale sales, lease leases, vase vases, phase phases, database databases, knowledgebase knowledgebases,
    emoji emojis, kimono kimonos, sudoku sudokus, karaoke karaokes, tsunami tsunamis, panini paninis, wasabi wasabis
    """
    .split(separator: ",").map { pair in
        let words = pair.split(whereSeparator: \.isWhitespace)
        return (String(words[0]), String(words[1]))
    }

private let uncountable = """
    miniseries subspecies reindeer cattle poultry baggage clothing jewelry jewellery machinery merchandise middleware
    firmware malware spyware shareware freeware literature poetry scenery stationery underwear laughter lightning
    garbage rubbish pollution violence welfare corps chassis debris barracks crossroads gallows kudos biceps triceps
    forceps pyjamas tights leggings goggles tongs whereabouts aerobics acoustics logistics robotics optics semantics
    aesthetics hertz jellyfish swordfish shellfish rotorcraft news series species sheep fish deer moose rice money jeans
    police equipment information japanese chinese portuguese bourgeois rendezvous
    """.split(whereSeparator: \.isWhitespace).map(String.init)

/// Alternative plurals.
private let otherPlurals: [(String, String)] = [
    ("stadia", "stadium"), ("aquaria", "aquarium"), ("maxima", "maximum"), ("minima", "minimum"), ("optima", "optimum"),
    ("momenta", "momentum"), ("referenda", "referendum"), ("consortia", "consortium"), ("octopi", "octopus"),
    ("octopuses", "octopus"), ("viri", "virus"), ("viruses", "virus"), ("foci", "focus"), ("focuses", "focus"),
    ("styli", "stylus"), ("thesauri", "thesaurus"), ("cactuses", "cactus"), ("syllabuses", "syllabus"),
    ("radiuses", "radius"), ("funguses", "fungus"), ("hippopotami", "hippopotamus"), ("indexes", "index"),
    ("matrixes", "matrix"), ("schemata", "schema"), ("personae", "persona"), ("amoebae", "amoeba"),
    ("bureaux", "bureau"), ("plateaux", "plateau"), ("scarfs", "scarf"), ("dwarfs", "dwarf"), ("hoofs", "hoof"),
    ("wharfs", "wharf"), ("cargos", "cargo"), ("mottos", "motto"), ("mangos", "mango"), ("mosquitos", "mosquito"),
    ("volcanos", "volcano"), ("tornados", "tornado"), ("buffalos", "buffalo"), ("zeroes", "zero"), ("halos", "halo"),
    ("formulae", "formula"), ("antennae", "antenna"), ("vertexes", "vertex"), ("corpuses", "corpus"),
]

@Suite struct InflectionTableTests {
    private let inflections = Inflections.default

    @Test func words() {
        #expect(pairs.count >= 350)
        for (singular, plural) in pairs {
            #expect(inflections.pluralize(singular) == plural)
            #expect(inflections.pluralize(plural) == plural)
            #expect(inflections.singularize(singular) == singular)
            // "Bases" is also the plural of "base".
            #expect(inflections.singularize(plural) == (plural == "bases" ? "base" : singular))
        }
    }

    @Test func uncountableWords() {
        for word in uncountable {
            #expect(inflections.pluralize(word) == word)
            #expect(inflections.singularize(word) == word)
        }
    }

    @Test func otherPluralsAreKnown() {
        for (plural, singular) in otherPlurals { #expect(inflections.singularize(plural) == singular) }
    }

    /// A trailing number belongs to the name, not to its last word.
    @Test func namesThatEndWithANumber() {
        let names = [
            "book2": "books2", "player1": "players1", "person12": "people12", "address2": "addresses2",
            "country2": "countries2", "child3": "children3", "sheep2": "sheep2", "news24": "news24",
            "lineItem2": "lineItems2", "homeAddress2": "homeAddresses2", "line_item2": "line_items2",
            "line_item_2": "line_items_2", "LINE_ITEM_2": "LINE_ITEMS_2", "SALES_PERSON2": "SALES_PEOPLE2",
            "matrix4": "matrices4", "Bus7": "Buses7", "box2box": "box2boxes", "oldMouse1": "oldMice1",
        ]
        for (singular, plural) in names {
            #expect(inflections.pluralize(singular) == plural)
            #expect(inflections.pluralize(plural) == plural)
            #expect(inflections.singularize(plural) == singular)
            #expect(inflections.singularize(singular) == singular)
        }
        for number in ["2", "_2", "42"] {
            #expect(inflections.pluralize(number) == number)
            #expect(inflections.singularize(number) == number)
        }
        #expect("books2".singularized == "book2" && "book2".pluralized == "books2")
    }

    @Test func addedRulesSeeTheNumber() {
        var inflections = Inflections.default
        inflections.uncountableWords(["covid19"])
        inflections.irregularSuffix("mp3", "mp3s")
        #expect(inflections.pluralize("covid19") == "covid19")
        #expect(inflections.pluralize("oldMp3") == "oldMp3s")
        #expect(inflections.singularize("mp3s") == "mp3")
        #expect(inflections.pluralize("mp4") == "mps4")
    }
}
