import PlacesKit
import Testing

struct CoordinateTests {
    private let paris = Coordinate(latitude: 48.8534, longitude: 2.3488)
    private let london = Coordinate(latitude: 51.5074, longitude: -0.1278)

    @Test func measuresTheGreatCircle() {
        #expect(paris.distance(to: paris) == 0)
        #expect(abs(paris.distance(to: london) - 344) < 1)
        #expect(paris.distance(to: london) == london.distance(to: paris))
    }

    @Test func measuresAcrossTheDateLine() {
        let west = Coordinate(latitude: 0, longitude: 179.5)
        let east = Coordinate(latitude: 0, longitude: -179.5)
        #expect(abs(west.distance(to: east) - Coordinate.kilometresPerDegree) < 1e-6)
    }

    @Test func measuresToTheAntipode() {
        let antipode = Coordinate(latitude: 0, longitude: 180)
        let distance = Coordinate(latitude: 0, longitude: 0).distance(to: antipode)
        #expect(abs(distance - 180 * Coordinate.kilometresPerDegree) < 1e-6)
    }

    @Test func describesTheHemispheres() {
        #expect(paris.description == "48.85°N 2.35°E")
        #expect(Coordinate(latitude: -33.5, longitude: -70.25).description == "33.50°S 70.25°W")
    }
}
