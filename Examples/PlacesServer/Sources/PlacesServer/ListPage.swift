// The page in the browser: the largest places, updated by the events.

import Hummingbird

enum ListPage {
    static func add(to router: Router<BasicRequestContext>) {
        router.get("/") { _, _ in
            Response(
                status: .ok, headers: [.contentType: "text/html; charset=utf-8"],
                body: ResponseBody(byteBuffer: ByteBuffer(string: html)))
        }
    }

    private static let html = """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>Places</title>
        <style>
          body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem }
          td:last-child { text-align: right; font-variant-numeric: tabular-nums }
          table { width: 100%; border-collapse: collapse }
          td { border-bottom: 1px solid #ddd; padding: .25rem 0 }
        </style>
        <h1>Places</h1>
        <p id="state" role="status">connecting</p>
        <table aria-label="The largest places"><tbody id="places"></tbody></table>
        <script>
          const places = new Map()
          const text = (value) => document.createTextNode(value)
          function show() {
            const rows = [...places.values()].sort((a, b) => b.population - a.population).slice(0, 50).map((place) => {
              const row = document.createElement("tr")
              for (const value of [place.name, place.country, place.population.toLocaleString()])
                row.appendChild(document.createElement("td")).appendChild(text(value))
              return row
            })
            document.getElementById("places").replaceChildren(...rows)
          }
          async function load() {
            const answer = await (await fetch("/places?size=50")).json()
            places.clear()
            for (const place of answer.places) places.set(place.id, place)
            show()
          }
          const events = new EventSource("/events")
          const state = document.getElementById("state")
          events.addEventListener("hello", load)
          events.addEventListener("reset", load)
          events.addEventListener("put", (event) => {
            const place = JSON.parse(event.data)
            places.set(place.id, place)
            show()
          })
          events.addEventListener("delete", (event) => {
            places.delete(JSON.parse(event.data).id)
            show()
          })
          events.onopen = () => { state.textContent = "live" }
          events.onerror = () => { state.textContent = "connecting again" }
        </script>
        </html>
        """
}
