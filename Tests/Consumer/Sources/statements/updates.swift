import RowanRecords

func raise(by points: Int) -> SQL { #sql("UPDATE player SET score = score + \(points)") }
