import PlacesKit
import Testing

struct ISO6709Tests {
    @Test(arguments: [
        ("+0000+00000", 0, 0),
        ("+4230+00130", 42.5, 1.5),
        ("-2515-05745", -25.25, -57.75),
        ("-720036+0023036", -72.01, 2.51),
        ("+9000+18000", 90, 180),
        ("-9000-18000", -90, -180),
        ("-0030-00030", -0.5, -0.5),
    ])
    func readsBothForms(text: String, latitude: Double, longitude: Double) throws {
        let coordinate = try Coordinate(iso6709: text)
        #expect(abs(coordinate.latitude - latitude) < 1e-9)
        #expect(abs(coordinate.longitude - longitude) < 1e-9)
    }

    @Test(arguments: [
        "", "+", "++", "4230+00131", "+4230", "+423+00131", "+4230+0131", "+4230+000131", "+4230 +00131",
        "+42x0+00131", "+4260+00131", "+4230+00160", "+423060+0013100", "+423000+00131", "+4230+0013100",
        "+4230+00131+", "+٤٢30+00131",
    ])
    func refusesOtherForms(text: String) {
        #expect(throws: MalformedLine.Reason.coordinateForm(text)) { try Coordinate(iso6709: text) }
    }

    @Test(arguments: ["+9001+00000", "-9100+00000", "+0000+18001", "+0000-18100"])
    func refusesPointsThatAreNotOnTheEarth(text: String) {
        #expect(throws: MalformedLine.Reason.coordinateRange(text)) { try Coordinate(iso6709: text) }
    }
}
