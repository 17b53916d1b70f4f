/** The element `openapi-explorer`. */
export interface Explorer extends HTMLElement {
  loadSpec(document: object): Promise<void>;
}

/** Fills the menu of narrow screens, on which `openapi-explorer` shows all sections below each other without a menu. */
export function addMenu(explorer: Explorer, guide: HTMLElement, tags: readonly { name: string; elementId: string }[]) {
  const menu = document.querySelector<HTMLDetailsElement>('.menu');
  const list = menu?.querySelector('nav');
  if (!menu || !list) return;
  const close = () => {
    menu.open = false;
    menu.querySelector('summary')?.focus();
  };
  const headings = [...guide.querySelectorAll('h2')].map((heading) =>
    createLink(heading.textContent, () => heading.scrollIntoView()),
  );
  const guideTexts = headings.map(({ textContent }) => textContent);
  const sections = [{ name: 'Credentials', elementId: 'auth' }, ...tags].map(({ name, elementId }) =>
    createLink(guideTexts.includes(name) ? `${name} operations` : name, () =>
      explorer.shadowRoot?.getElementById(elementId)?.scrollIntoView(),
    ),
  );
  for (const link of [...headings, ...sections]) link.addEventListener('click', close);
  list.replaceChildren(...headings, document.createElement('hr'), ...sections);
  menu.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') close();
  });
  menu.hidden = false;
}

function createLink(text: string, show: () => void): HTMLAnchorElement {
  const link = document.createElement('a');
  link.href = '#';
  link.textContent = text;
  link.addEventListener('click', (event) => {
    event.preventDefault();
    show();
  });
  return link;
}
