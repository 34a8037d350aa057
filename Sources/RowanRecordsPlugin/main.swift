// The macro plugin of RowanRecords, which the compiler starts.

import PluginMessages
import RecordExpansion

try MessageChannel().run(expand)
