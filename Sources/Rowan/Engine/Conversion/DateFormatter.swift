// Dates as texts in the format of a formatter of Foundation.

#if FullFoundation
public import Foundation

extension DateFormatter: DatabaseDateFormatter {}
#endif
