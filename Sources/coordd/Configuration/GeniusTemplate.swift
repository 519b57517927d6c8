// Written by `make template` from Config/genius.html; a test compares them.

/// The page that plays Genius Sports content (contract: domain, section 5.1).
package enum GeniusTemplate {
    /// The template that is used when the configuration names none.
    package static let builtIn = ##"""
        <!doctype html>
        <html>
        <body>
        <div class="video-container"></div>
        <script>window.coordd = {{config}};</script>
        </body>
        </html>

        """##
}
