"use strict";
const head = JSON.parse(document.getElementById("head").textContent);
const bytes = Uint8Array.from(atob(document.getElementById("data").textContent.trim()), c => c.charCodeAt(0));
const read = (Kind, where) => where ? new Kind(bytes.buffer, where[0], where[1]) : null;
const byId = id => document.getElementById(id);
const canvas = byId("view"), slider = byId("time");
const gl = canvas.getContext("webgl2", {antialias: true, preserveDrawingBuffer: true});
const rgb = text => [1, 3, 5].map(k => parseInt(text.slice(k, k + 2), 16) / 255);
document.body.style.background = head.background;
document.body.style.color = head.ink;
const count = head.titles.length;

if (head.bar) {
  const stops = [];
  for (let k = 0; k < 256; k += 15) stops.push(`rgb(${head.map.slice(3 * k, 3 * k + 3)})`);
  document.querySelector("#bar .title").textContent = head.bar.title;
  document.querySelector("#bar .colors").style.background = `linear-gradient(to right, ${stops})`;
  for (const limit of head.bar.limits) {
    const label = document.createElement("span");
    label.textContent = limit.replace("-", "\u2212");
    document.querySelector("#bar .limits").append(label);
  }
} else byId("bar").style.display = "none";
byId("arrows").textContent = head.arrows;
if (count < 2) { byId("play").style.display = "none"; slider.style.visibility = "hidden"; }
slider.max = count - 1;

function normals(points, faces) {
  const out = new Float32Array(points.length);
  for (let f = 0; f < faces.length; f += 3) {
    const a = 3 * faces[f], b = 3 * faces[f + 1], c = 3 * faces[f + 2];
    const ux = points[b] - points[a], uy = points[b + 1] - points[a + 1], uz = points[b + 2] - points[a + 2];
    const vx = points[c] - points[a], vy = points[c + 1] - points[a + 1], vz = points[c + 2] - points[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    for (const k of [a, b, c]) { out[k] += nx; out[k + 1] += ny; out[k + 2] += nz; }
  }
  return out;
}

const VERTEX = `#version 300 es
  in vec3 point; in vec3 normal; in vec3 tint;
  uniform vec3 place, middle; uniform vec4 turn; uniform mat3 axes; uniform vec2 scale; uniform float depth, behind;
  out vec3 n; out vec3 paint;
  vec3 turned(vec3 v) { return v + 2.0 * cross(turn.yzw, cross(turn.yzw, v) + turn.x * v); }
  void main() {
    vec3 seen = axes * (turned(point) + place - middle);
    n = axes * turned(normal);
    paint = tint;
    gl_Position = vec4(seen.xy * scale, behind - seen.z * depth, 1.0);
  }`;
const FRAGMENT = `#version 300 es
  precision highp float;
  in vec3 n; in vec3 paint; uniform float ambient; uniform bool flatly; out vec4 color;
  void main() {
    vec3 m = normalize(n);
    if (!gl_FrontFacing) m = -m;
    vec3 one = normalize(vec3(-0.4, 0.6, 1.0)), two = normalize(vec3(0.8, -0.25, 1.0));
    float light = 0.74 * max(dot(m, one), 0.0) + 0.28 * max(dot(m, two), 0.0);
    float shine = pow(max(dot(m, normalize(one + vec3(0.0, 0.0, 1.0))), 0.0), 18.0);
    color = vec4(flatly ? paint * (0.55 + 0.5 * light) : paint * (ambient + 0.85 * light) + 0.14 * shine, 1.0);
  }`;

let program, where;
const at = name => gl.getUniformLocation(program, name);

function start() {
  program = gl.createProgram();
  for (const [kind, text] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
    gl.attachShader(program, shader);
  }
  ["point", "normal", "tint"].forEach((name, k) => gl.bindAttribLocation(program, k, name));
  gl.linkProgram(program);
  gl.useProgram(program);
  const uniforms = ["place", "turn", "axes", "middle", "scale", "depth", "behind", "ambient", "flatly"];
  where = Object.fromEntries(uniforms.map(name => [name, at(name)]));
  gl.enable(gl.DEPTH_TEST);
  for (const piece of head.pieces) {
    piece.faceList = read(Uint32Array, piece.faces);
    piece.poseList = read(Float32Array, piece.poses);
    piece.shownList = read(Uint32Array, piece.shown);
    piece.valueList = read(Uint8Array, piece.values);
    piece.frameList = read(Int16Array, piece.frames);
    piece.pointList = read(Float32Array, piece.points);
    piece.size = piece.frameList ? piece.frameList.length / count : piece.pointList.length;
    piece.array = gl.createVertexArray();
    gl.bindVertexArray(piece.array);
    piece.buffers = [0, 1, 2].map(k => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(k);
      gl.vertexAttribPointer(k, 3, gl.FLOAT, false, 0, 0);
      return buffer;
    });
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, gl.createBuffer());
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, piece.faceList, gl.STATIC_DRAW);
    piece.instant = -1;
  }
}

function fill(piece, k) {
  const still = !piece.frameList && !(piece.valueList && piece.valueList.length * 3 > piece.size);
  if (piece.instant === k || (still && piece.instant >= 0)) return;
  const put = (j, values) => {
    gl.bindBuffer(gl.ARRAY_BUFFER, piece.buffers[j]);
    gl.bufferData(gl.ARRAY_BUFFER, values, gl.DYNAMIC_DRAW);
  };
  if (piece.frameList || piece.instant < 0) {
    let points = piece.pointList;
    if (piece.frameList) {
      points = new Float32Array(piece.size);
      const [middle, half] = head.box, first = k * piece.size;
      for (let j = 0; j < piece.size; j++)
        points[j] = middle[j % 3] + half[j % 3] * piece.frameList[first + j] / 32767;
    }
    put(0, points);
    put(1, normals(points, piece.faceList));
  }
  const tints = new Float32Array(piece.size), n = piece.size / 3;
  const row = piece.valueList && piece.valueList.length > n ? k * n : 0;
  for (let j = 0; j < n; j++) {
    for (let c = 0; c < 3; c++) {
      let tint = piece.color[c];
      if (piece.valueList) {
        tint = head.map[3 * piece.valueList[row + j] + c] / 255;
        if (piece.fade) tint = piece.fade[0] * tint + piece.fade[1 + c];
      }
      tints[3 * j + c] = tint;
    }
  }
  put(2, tints);
  piece.instant = k;
}

let axes, middle, half, touched = false;
function home() {
  axes = head.axes.map(row => row.slice());
  const side = head.free, w = canvas.clientWidth, h = canvas.clientHeight;
  const above = 44 / h, under = (head.bar ? 118 : 56) / h;
  const high = Math.max((head.high[1] - head.low[1]) / (1 - above - under),
    (head.high[0] - head.low[0]) / (1 - 2 * side) * h / w);
  const x = (head.low[0] + head.high[0]) / 2, y = (head.low[1] + head.high[1]) / 2 + (above - under) / 2 * high;
  const z = (head.low[2] + head.high[2]) / 2;
  middle = [0, 1, 2].map(c => x * axes[0][c] + y * axes[1][c] + z * axes[2][c]);
  half = high / 2;
}

function draw(k) {
  const ratio = window.devicePixelRatio || 1;
  const w = Math.round(canvas.clientWidth * ratio), h = Math.round(canvas.clientHeight * ratio);
  if (canvas.width !== w || canvas.height !== h) { canvas.width = w; canvas.height = h; }
  gl.viewport(0, 0, w, h);
  gl.clearColor(...rgb(head.background), 1);
  gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
  gl.uniformMatrix3fv(where.axes, true, axes.flat());
  gl.uniform3fv(where.middle, middle);
  gl.uniform2f(where.scale, h / w / half, 1 / half);
  gl.uniform1f(where.depth, 0.2 / head.unit);
  gl.uniform1f(where.ambient, head.ambient);
  for (const piece of head.pieces) {
    const shown = piece.shownList ? piece.shownList[k] : piece.faceList.length / 3;
    if (!shown) continue;
    gl.bindVertexArray(piece.array);
    fill(piece, k);
    const row = piece.poseList ? 7 * Math.min(k, piece.poseList.length / 7 - 1) : 0;
    gl.uniform3fv(where.place, piece.poseList ? piece.poseList.subarray(row, row + 3) : [0, 0, 0]);
    gl.uniform4fv(where.turn, piece.poseList ? piece.poseList.subarray(row + 3, row + 7) : [1, 0, 0, 0]);
    gl.uniform1i(where.flatly, piece.flat ? 1 : 0);
    gl.uniform1f(where.behind, piece.behind);
    gl.drawElements(gl.TRIANGLES, 3 * shown, gl.UNSIGNED_INT, 0);
  }
  byId("title").textContent = head.titles[k];
}

let now = 0, playing = count > 1, before = 0, dirty = true;
const instant = () => Math.min(Math.floor(now), count - 1);
function play(on) { playing = on; byId("play").textContent = on ? "pause" : "play"; }
function put(k) { now = Math.max(0, Math.min(k, count - 1)); slider.value = instant(); dirty = true; }
function tick(stamp) {
  if (playing && head.seconds > 0) {
    now += (stamp - before) / 1000 * (count - 1) / head.seconds;
    if (now >= count - 1 + 0.5 * (count - 1) / head.seconds) now = 0;
    slider.value = instant();
    dirty = true;
  }
  before = stamp;
  if (dirty) { draw(instant()); dirty = false; }
  requestAnimationFrame(tick);
}

// A turntable: the camera goes about the direction that is up, and rises to straight above at most, so up stays upright.
function turned(axes, up, azimuth, rise) {
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const about = (axis, angle, v) => {
    const c = Math.cos(angle), s = Math.sin(angle), along = (1 - c) * dot(axis, v), w = cross(axis, v);
    return v.map((x, k) => c * x + s * w[k] + along * axis[k]);
  };
  const [right, above, back] = axes;
  // the elevation goes beyond 90 degrees nowhere, also where rounding has left it a little past
  const elevation = Math.atan2(dot(back, up), dot(above, up));
  const height = Math.max(-Math.PI / 2, Math.min(Math.PI / 2, elevation + rise));
  const side = about(up, azimuth, right);
  const level = cross(side, up);  // to the viewer, at the height of the mechanism
  const c = Math.cos(height), s = Math.sin(height);
  return [side, up.map((x, k) => c * x - s * level[k]), level.map((x, k) => c * x + s * up[k])];
}
function turn(azimuth, rise) { axes = turned(axes, head.up, azimuth, rise); }
function shift(dx, dy) {
  const meters = 2 * half / canvas.clientHeight;
  middle = middle.map((x, k) => x - meters * (dx * axes[0][k] - dy * axes[1][k]));
}

const fingers = new Map();
canvas.addEventListener("pointerdown", e => {
  canvas.setPointerCapture(e.pointerId);
  fingers.set(e.pointerId, [e.clientX, e.clientY]);
});
for (const kind of ["pointerup", "pointercancel"])
  canvas.addEventListener(kind, e => fingers.delete(e.pointerId));
canvas.addEventListener("pointermove", e => {
  const last = fingers.get(e.pointerId);
  if (!last) return;
  const dx = e.clientX - last[0], dy = e.clientY - last[1];
  if (fingers.size > 1) {
    const other = [...fingers].find(([id]) => id !== e.pointerId)[1];
    const was = Math.hypot(last[0] - other[0], last[1] - other[1]);
    const is = Math.hypot(e.clientX - other[0], e.clientY - other[1]);
    if (is > 0) half *= was / is;
    shift(dx / 2, dy / 2);
  } else if (e.shiftKey || e.buttons & 6) shift(dx, dy);
  else turn(-0.007 * dx, 0.007 * dy);
  fingers.set(e.pointerId, [e.clientX, e.clientY]);
  dirty = touched = true;
});
canvas.addEventListener("contextmenu", e => e.preventDefault());
canvas.addEventListener("wheel", e => {
  half *= Math.exp(0.001 * e.deltaY);
  dirty = touched = true;
  e.preventDefault();
}, {passive: false});
byId("play").addEventListener("click", () => play(!playing));
byId("home").addEventListener("click", () => { home(); touched = false; dirty = true; });
slider.addEventListener("input", () => { play(false); put(Number(slider.value)); });
window.addEventListener("resize", () => { if (!touched) home(); dirty = true; });
window.addEventListener("keydown", e => {
  if (e.key === " ") { play(!playing); e.preventDefault(); }
  else if (e.key === "ArrowRight") { play(false); put(instant() + 1); }
  else if (e.key === "ArrowLeft") { play(false); put(instant() - 1); }
});

if (!gl) byId("failed").style.display = "flex";
else {
  start();
  home();
  const asked = new URLSearchParams(location.hash.slice(1));
  if (asked.has("instant")) { play(false); put(Number(asked.get("instant"))); }
  if (asked.has("turn")) { turn(Number(asked.get("turn")), 0); touched = true; }
  requestAnimationFrame(tick);
}
