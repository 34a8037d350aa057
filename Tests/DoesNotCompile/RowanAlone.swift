import Rowan

// The macros need another import.

@Record("place") struct Place {  // error 2: write `import RowanRecords` instead of `import Rowan`
    var id: Int64?
}

@Record struct Town {  // error 2: write `import RowanRecords` instead of `import Rowan`
    var id: Int64?
}

class Person: Record {}
