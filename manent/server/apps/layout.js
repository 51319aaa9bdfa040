// Where to draw the notes of a neighbourhood: springs along links, repulsion between notes
// that are near, a pull to the middle. Nothing is random: same input, same picture.

const REACH = 2.5; // in ideal spacings: further away, notes do not repel each other
const ROUNDS = 400;
const PULL = 0.12; // to the middle: what nothing links stays in the picture, off its edge
const FILL = 0.66; // of the room a note has
const MARGIN = 30;
const LARGEST = 1.8; // times that a small picture is drawn larger
const TURN = Math.PI * (3 - Math.sqrt(5)); // of a sunflower: no two seeds in one line

function layout(count, edges, width, height) {
  const middle = { x: width / 2, y: height / 2 };
  const spacing = FILL * Math.sqrt((width * height) / Math.max(count, 1));
  const ideal = Math.min(spacing, Math.min(width, height) / 3);
  const places = [];
  for (let n = 0; n < count; n++) {
    const radius = ideal * 0.5 * Math.sqrt(n);
    places.push({ x: middle.x + radius * Math.cos(n * TURN), y: middle.y + radius * Math.sin(n * TURN) });
  }
  const degree = new Array(count).fill(0);
  for (const [a, b] of edges) {
    degree[a]++;
    degree[b]++;
  }
  for (let round = 0; round < ROUNDS; round++) {
    const heat = ideal * 0.6 * (1 - round / ROUNDS) ** 1.5 + 0.01;
    step(places, edges, degree, { ideal, heat, middle, width, height });
  }
  return enlarged(places, width, height);
}

// A picture that leaves much of the frame empty is drawn larger, clear of its edge.
function enlarged(places, width, height) {
  const span = (of) => [Math.min(...places.map(of)), Math.max(...places.map(of))];
  const [left, right] = span((place) => place.x);
  const [top, bottom] = span((place) => place.y);
  const room = (size) => size - 4 * MARGIN;
  const times = Math.min(
    room(width) / Math.max(right - left, 1), room(height) / Math.max(bottom - top, 1), LARGEST,
  );
  if (places.length < 2 || times <= 1) return places;
  return places.map(({ x, y }) => ({
    x: width / 2 + (x - (left + right) / 2) * times,
    y: height / 2 + (y - (top + bottom) / 2) * times,
  }));
}

function step(places, edges, degree, { ideal, heat, middle, width, height }) {
  const forces = places.map(() => ({ x: 0, y: 0 }));
  const reach = REACH * ideal;
  for (let a = 0; a < places.length; a++) {
    for (let b = a + 1; b < places.length; b++) {
      let x = places[a].x - places[b].x;
      let y = places[a].y - places[b].y;
      if (x * x + y * y >= reach * reach) continue;
      if (x * x + y * y < 0.0001) {
        x = 0.01 * Math.cos(a * TURN);
        y = 0.01 * Math.sin(a * TURN);
      }
      const distance = Math.sqrt(x * x + y * y);
      // Ends at nothing where the reach does, so that no note jumps as it crosses it.
      const push = ((ideal * ideal) / distance) * (1 - distance / reach);
      shove(forces, a, b, (x / distance) * push, (y / distance) * push);
    }
  }
  for (const [a, b] of edges) {
    const x = places[a].x - places[b].x;
    const y = places[a].y - places[b].y;
    // A note with many links is not torn by all of them at once.
    const pull = Math.sqrt(x * x + y * y) / ideal / Math.sqrt(Math.min(degree[a], degree[b]) || 1);
    shove(forces, a, b, -x * pull, -y * pull);
  }
  for (let n = 0; n < places.length; n++) {
    const x = forces[n].x + (middle.x - places[n].x) * PULL * (height / width);
    const y = forces[n].y + (middle.y - places[n].y) * PULL * (width / height);
    const strength = Math.max(Math.sqrt(x * x + y * y), 0.01);
    const move = Math.min(strength, heat);
    places[n].x = within(places[n].x + (x / strength) * move, width);
    places[n].y = within(places[n].y + (y / strength) * move, height);
  }
}

function shove(forces, a, b, x, y) {
  forces[a].x += x;
  forces[a].y += y;
  forces[b].x -= x;
  forces[b].y -= y;
}

const within = (value, size) => Math.min(size - MARGIN, Math.max(MARGIN, value));
