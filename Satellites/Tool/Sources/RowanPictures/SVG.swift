// Pictures as SVG text.
