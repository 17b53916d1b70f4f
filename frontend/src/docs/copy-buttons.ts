const EXAMPLE_ORIGIN = 'https://runward.example.org';
const CONFIRMATION_MS = 1500;

/** Replaces the example address by that of this instance, and adds a copy button to each block of code. */
export function addCopyButtons(guide: HTMLElement): void {
  for (const block of guide.querySelectorAll('pre')) {
    block.tabIndex = 0;
    const code = block.querySelector('code');
    if (!code) continue;
    code.textContent = code.textContent.replaceAll(EXAMPLE_ORIGIN, location.origin);
    addButton(block, code.textContent);
  }
}

function addButton(block: HTMLPreElement, text: string): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Copy';
  button.addEventListener('click', () => {
    void navigator.clipboard.writeText(text).then(() => {
      button.textContent = 'Copied';
      setTimeout(() => (button.textContent = 'Copy'), CONFIRMATION_MS);
    });
  });
  const frame = document.createElement('div');
  frame.className = 'copyable';
  block.replaceWith(frame);
  frame.append(button, block);
}
