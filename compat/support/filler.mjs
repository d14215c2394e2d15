// Talk that fills the weeks between telling and asking. It is made of the same
// things as what is worth remembering (people, numbers, days, small decisions),
// and the same seed gives the same talk.

const people = ['Priya', 'Tomás', 'my neighbour', 'the intern', 'Ingrid', 'our landlord', 'Mrs. Okafor', 'the new designer', 'Jun', 'a friend from school'];
const places = ['the harbour', 'the second floor', 'Lisbon', 'the library', 'that café by the station', 'the garden', 'Graz', 'the old cinema', 'the canteen'];
const things = ['a mechanical keyboard', 'the office plant', 'a folding bike', 'the coffee machine', 'a paper map', 'the projector', 'a borrowed ladder', 'a box of old photographs', 'the whiteboard'];
const topics = ['tides', 'sourdough', 'medieval bridges', 'bird migration', 'typography', 'the offside rule', 'glaciers', 'chess openings', 'jazz drumming', 'tax forms', 'volcanoes', 'public transport'];
const moods = ['oddly calm', 'a bit loud', 'surprisingly good', 'too long', 'rather dull', 'very funny', 'confusing at first'];
const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const dishes = ['lentil soup', 'pancakes', 'a cheese sandwich', 'ramen', 'stuffed peppers', 'leftover risotto'];

const statements = [
  (p) => `On ${p(days)} ${p(people)} talked about ${p(topics)} for ${p.number(5, 90)} minutes, and it was ${p(moods)}.`,
  (p) => `I had ${p(dishes)} for lunch near ${p(places)}, and it cost ${p.number(4, 19)} euros.`,
  (p) => `${p(people)} left ${p(things)} at ${p(places)} again.`,
  (p) => `The talk on ${p(topics)} was ${p(moods)}; about ${p.number(12, 240)} people came.`,
  (p) => `We walked from ${p(places)} to ${p(places)}, roughly ${p.number(2, 14)} kilometres, because the tram was late.`,
  (p) => `${p(people)} says that ${p(topics)} and ${p(topics)} have more in common than one would think.`,
  (p) => `Yesterday somebody moved ${p(things)} to ${p(places)}, and nobody knows why.`,
  (p) => `The meeting on ${p(days)} was ${p(moods)}, so ${p(people)} brought ${p(dishes)} to the next one.`,
  (p) => `Chapter ${p.number(2, 30)} of the book on ${p(topics)} is ${p(moods)}.`,
  (p) => `It rained on ${p(days)}, and ${p(people)} got stuck at ${p(places)} with ${p(things)}.`,
];

const questions = [
  (p) => `Can you explain ${p(topics)} to me, maybe with ${p(things)} as an example?`,
  (p) => `What do ${p(topics)} have to do with ${p(topics)}?`,
  (p) => `How would you describe ${p(places)} in ${p.number(3, 9)} words?`,
  (p) => `Could you write a short note to ${p(people)} about ${p(things)}?`,
  (p) => `Which of the two is harder to draw, ${p(things)} or ${p(things)}?`,
  (p) => `Is ${p(dishes)} a good idea for ${p.number(4, 20)} guests on a ${p(days)}?`,
];

/** filler returns a source of turns: sentence(), question(), and talk(n) of n sentences. */
export function filler(seed = 1) {
  const random = mulberry32(seed);
  const pick = (list) => list[Math.floor(random() * list.length)];
  pick.number = (from, to) => from + Math.floor(random() * (to - from + 1));
  const capital = (text) => text[0].toUpperCase() + text.slice(1);
  const sentence = () => capital(pick(statements)(pick));
  const question = () => capital(pick(questions)(pick));
  return {
    sentence,
    question,
    talk: (n) => Array.from({ length: n }, sentence).join(' '),
    turn: () => (random() < 0.4 ? question() : `${sentence()} ${random() < 0.3 ? question() : sentence()}`),
  };
}

// mulberry32 is a small generator of numbers that look random.
function mulberry32(seed) {
  let a = seed >>> 0;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
