// Written by `make template` from Config/genius.html; a test compares them.

/// The page that plays Genius Sports content (contract: domain, section 5.1).
package enum GeniusTemplate {
    /// The template that is used when the configuration names none.
    package static let builtIn = ##"""
        <!doctype html>
        <!--
          The page around the Genius Sports player (vendors.genius.template).

          The one placeholder below is replaced by a JSON object: what player.load gave as content, the
          vendor's defaults, and the hashed e-mail. Nothing else of this file is touched.

          The page starts the vendor's widget loader with the values it takes in its address; user, password
          and API key are never put there, a player that needs them reads window.geniusConfiguration. What
          the player says on its message bus is relayed to the app as {type, payload}.
        -->
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1, user-scalable=no, viewport-fit=cover">
          <meta name="referrer" content="origin">
          <title>Live video</title>
          <style>
            html, body { margin: 0; height: 100%; background: #000; overflow: hidden; }
            .video-container { position: relative; width: 100%; height: 100%; }
            .video-container.full-screen { position: fixed; inset: 0; width: 100vw; height: 100vh; }
            #geniusLive { width: 100%; height: 100%; }
          </style>
        </head>
        <body>
          <div class="video-container"><div id="geniusLive"></div></div>
          <script>
            window.geniusConfiguration = {{config}};
          </script>
          <script>
            (function (configuration) {
              "use strict";

              var loaders = {
                PROD: "https://genius-live-player-production.betstream.betgenius.com/widgetLoader",
                other: "https://genius-live-player-uat.betstream.betgenius.com/widgetLoader"
              };
              // What the loader takes in its address, by the names it has there.
              var parameters = {
                customerId: configuration.customerId,
                fixtureId: configuration.fixtureId,
                containerId: "geniusLive",
                width: configuration.playerWidth,
                height: configuration.playerHeight,
                controlsEnabled: configuration.controlsEnabled,
                audioEnabled: configuration.audioEnabled,
                allowFullScreen: configuration.allowFullScreen,
                bufferLength: configuration.bufferLength,
                autoplayEnabled: configuration.autoplayEnabled,
                culture: configuration.culture,
                deviceId: configuration.deviceId
              };
              var relayed = ["toggleFullscreen", "multibet-event", "betslip-container-dimensions"];

              function post(type, payload) {
                var handlers = window.webkit && window.webkit.messageHandlers;
                var bridge = handlers && handlers.gsVideoPlayerBridge;
                if (!bridge) { return; }
                bridge.postMessage(payload === undefined ? { type: type } : { type: type, payload: payload });
              }

              window.addEventListener("geniussportsmessagebus", function (event) {
                var message = event.detail || {};
                if (relayed.indexOf(message.type) >= 0) { post(message.type, message.body); }
              });

              var query = Object.keys(parameters).filter(function (name) {
                return parameters[name] !== undefined && parameters[name] !== "";
              }).map(function (name) {
                return encodeURIComponent(name) + "=" + encodeURIComponent(parameters[name]);
              });
              var loader = document.createElement("script");
              loader.src = (configuration.environment === "PROD" ? loaders.PROD : loaders.other)
                + "?" + query.join("&");
              loader.onload = function () { post("init"); };
              document.body.appendChild(loader);
            })(window.geniusConfiguration);
          </script>
        </body>
        </html>

        """##
}
