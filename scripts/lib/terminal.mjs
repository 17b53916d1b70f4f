/** Terminal output. Colours and redrawn lines are used only on a terminal. */
let live = process.stdout.isTTY === true && process.env.TERM !== 'dumb';
let stream = process.stdout;
let colours = live && !process.env.NO_COLOR;

const paint = (code) => (text) => (colours ? `\x1b[${code}m${text}\x1b[0m` : String(text));
export const bold = paint(1);
export const dim = paint(2);
export const red = paint(31);
export const green = paint(32);
export const yellow = paint(33);
export const cyan = paint(36);

export function printOnStandardError() {
  stream = process.stderr;
  live = false;
  colours = false;
}

export const isLive = () => live;
export const say = (line = '') => stream.write(`${line}\n`);
export const seconds = (since) => {
  const passed = (performance.now() - since) / 1000;
  return passed < 60 ? `${passed.toFixed(1)} s` : `${Math.floor(passed / 60)} min ${Math.round(passed % 60)} s`;
};

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
export const frame = () => FRAMES[Math.floor(performance.now() / 100) % FRAMES.length];

/**
 * Shows a progress line during `work`, then its duration. `work` receives a function that changes the text after the
 * duration.
 */
export async function withProgress(title, work) {
  const start = performance.now();
  let detail = '';
  const draw = () => stream.write(`\r\x1b[2K${cyan(frame())} ${title} ${dim(`${seconds(start)} ${detail}`)}`);
  const timer = live ? setInterval(draw, 100) : undefined;
  if (!live) say(`${title} ...`);
  const clear = () => {
    clearInterval(timer);
    if (live) stream.write('\r\x1b[2K');
  };
  try {
    const result = await work((text) => {
      detail = text;
    });
    clear();
    say(`${green('✓')} ${title} ${dim(`(${seconds(start)})`)}`);
    return result;
  } catch (error) {
    clear();
    say(`${red('✗')} ${title} ${dim(`(${seconds(start)})`)}`);
    throw error;
  }
}
