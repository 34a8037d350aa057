import Testing
import Rowan
@Test func placeholder() {}
