// Written by `make template` from Config/genius.html; a test compares them.
extension GeniusTemplate {
    /// The template that is used when the configuration names none.
    package static let builtIn = #"""
        <!doctype html>
        <html>
        <body>
        <div class="video-container"></div>
        <script>window.coordd = {{config}};</script>
        </body>
        </html>

        """#
}
