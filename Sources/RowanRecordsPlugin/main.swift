// The macro plugin of RowanRecords, which the compiler starts.

import RowanPluginMessages
import RowanRecordExpansion
import RowanSQLExpansion

let statements = StatementExpander()

try MessageChannel().run { message in
    switch message {
    case .expandFreestanding(let expansion) where expansion.macro.typeName == "SQLMacro": statements.expand(expansion)
    default: expand(message)
    }
}
