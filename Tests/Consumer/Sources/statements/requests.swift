import RowanRecords

func highScores(from limit: Int) -> SQLRequest<Int> { #sql("SELECT score FROM player WHERE score >= \(limit)") }
