// Passes on what a phone emits to the room of its session, with Socket.IO. Usage: node socketio.js PORT;
// SOCKET_IO names the module when it is not where node looks for it.
const { Server } = require(process.env.SOCKET_IO || 'socket.io');

const http = require('node:http').createServer();
const io = new Server(http, {
  transports: ['websocket'], perMessageDeflate: false, serveClient: false,
});
io.on('connection', (socket) => {
  socket.on('follow', (session, done) => {
    socket.join(session);
    done();
  });
  socket.on('event', (session, event) => io.to(session).emit('event', event));
});
http.listen({ host: '127.0.0.1', port: Number(process.argv[2]), backlog: 4096 });
