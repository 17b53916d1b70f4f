import 'openapi-explorer/dist/browser/openapi-explorer.min.js';
import { addCopyButtons } from './copy-buttons.ts';
import { addMenu, type Explorer } from './menu.ts';
import { addSearch, type SearchedDocument } from './search.ts';

interface OpenApiDocument extends SearchedDocument {
  info: { title: string; description: string };
  tags?: { name: string }[];
}

/** Document as the element has read it. */
interface LoadedDocument {
  info: { expanded: boolean };
  tags: { name: string; elementId: string }[];
}

/** Where Mantine stores the theme that the member chose in the dashboard. */
const THEME_KEY = 'mantine-color-scheme-value';
/** Prefix that the menu gives to headings of the guide. */
const HEADING_ROUTE = /^overview--/;
const FIRST_TAG = 'Executions';

const darkSystem = matchMedia('(prefers-color-scheme: dark)');
darkSystem.addEventListener('change', applyTheme);
applyTheme();

const explorer = document.querySelector<Explorer>('openapi-explorer');
const guide = document.querySelector<HTMLElement>('.guide');
if (explorer && guide) void showReference(explorer, guide);

async function showReference(explorer: Explorer, guide: HTMLElement): Promise<void> {
  addCopyButtons(guide);
  explorer.addEventListener('event', (event) => {
    const { explorerLocation } = (event as CustomEvent<{ explorerLocation: string }>).detail;
    if (HEADING_ROUTE.test(explorerLocation)) scrollToHeading(explorerLocation.replace(HEADING_ROUTE, ''));
  });
  explorer.addEventListener('spec-loaded', (event) => {
    const { info, tags } = (event as CustomEvent<LoadedDocument>).detail;
    info.expanded = true;
    addMenu(explorer, guide, tags);
    guide.slot = 'overview';
  });
  try {
    const response = await fetch('/api/openapi.json');
    if (!response.ok) throw new Error(`status ${response.status}`);
    const document = (await response.json()) as OpenApiDocument;
    // The menu shows the title and the headings of the description.
    const headings = [...guide.querySelectorAll('h2')].map(({ textContent }) => `## ${textContent}`);
    document.info = { ...document.info, title: 'Guide', description: headings.join('\n\n') };
    const { tags = [] } = document;
    document.tags = [
      tags.find(({ name }) => name === FIRST_TAG) ?? { name: FIRST_TAG },
      ...tags.filter(({ name }) => name !== FIRST_TAG),
    ];
    addSearch(document);
    await explorer.loadSpec(document);
  } catch (error) {
    const message = guide.insertBefore(window.document.createElement('p'), guide.firstChild);
    message.role = 'alert';
    message.textContent = `The OpenAPI document could not be loaded (${String(error)}). Reload the page.`;
  }
}

/** The menu shows the guide first, if an operation was shown. */
function scrollToHeading(id: string): void {
  setTimeout(() => document.getElementById(id)?.scrollIntoView(), 50);
}

function applyTheme(): void {
  const chosen = localStorage.getItem(THEME_KEY);
  const system = darkSystem.matches ? 'dark' : 'light';
  document.documentElement.dataset.mantineColorScheme = chosen === 'light' || chosen === 'dark' ? chosen : system;
}
