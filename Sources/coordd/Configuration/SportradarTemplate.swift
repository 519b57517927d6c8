// Written by `make template` from Config/sportradar.html; a test compares them.

/// The page around a Sportradar widget (contract: domain, section 5.4).
package enum SportradarTemplate {
    /// The template that is used when the configuration names none.
    package static let builtIn = ##"""
        <!doctype html>
        <!--
          The page around a Sportradar widget (vendors.sportradar.template).

          The one placeholder below is replaced by a JSON object {clientId, widget, props}: what player.load
          gave as content. Nothing else of this file is touched.

          The page starts the vendor's loader for the client and adds the one widget. What the widget reports
          goes to the app as {type: "onTrack", eventName, eventData} and {type: "onItemClick", target, data};
          its height is posted by a script that coordd sends along, from the element marked below.
        -->
        <html lang="en">
        <head>
          <meta charset="utf-8">
          <meta name="viewport" content="width=device-width, initial-scale=1">
          <title>Widget</title>
          <style>
            html, body { margin: 0; padding: 0; background: transparent; }
          </style>
        </head>
        <body>
          <div id="sr-widget" data-sr-height-root></div>
          <script>
            window.sportradarConfiguration = {{config}};
          </script>
          <script>
            (function (configuration) {
              "use strict";

              function post(message) {
                var handlers = window.webkit && window.webkit.messageHandlers;
                var bridge = handlers && handlers.srBridge;
                if (bridge) { bridge.postMessage(message); }
              }

              // JSON text of whatever the widget hands out; absent where there is none, such as for a circle.
              function text(value) {
                try { return JSON.stringify(value); } catch (error) { return undefined; }
              }

              function plain(value) {
                var json = text(value);
                return json === undefined ? undefined : JSON.parse(json);
              }

              function message(type, members) {
                var result = { type: type };
                Object.keys(members).forEach(function (name) {
                  if (members[name] !== undefined) { result[name] = members[name]; }
                });
                return result;
              }

              // Calls wait in a queue until the loader is there; these are the names it looks for.
              if (!window.SIR) {
                window.SIR = function () {
                  window.SIR.q = window.SIR.q || [];
                  window.SIR.q.push(arguments);
                };
                window.SIR.l = Date.now();
                window.SIR.o = {};
                var loader = document.createElement("script");
                loader.async = true;
                loader.src = "https://widgets.sir.sportradar.com/"
                  + encodeURIComponent(configuration.clientId) + "/widgetloader";
                loader.setAttribute("n", "SIR");
                document.head.appendChild(loader);
              }

              // A copy with every member there is; assigning one by one would lose a "__proto__".
              var props = JSON.parse(JSON.stringify(configuration.props));
              props.onTrack = function (eventName, eventData) {
                post(message("onTrack", { eventName: String(eventName), eventData: plain(eventData) }));
              };
              props.onItemClick = function (target, data) {
                post(message("onItemClick", { target: String(target), data: text(data) }));
              };
              window.SIR("addWidget", "#sr-widget", configuration.widget, props);
            })(window.sportradarConfiguration);
          </script>
        </body>
        </html>

        """##
}
