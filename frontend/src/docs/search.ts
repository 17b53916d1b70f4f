interface SearchedOperation {
  summary?: string;
  description?: string;
  parameters?: object[];
  requestBody?: object;
}

export interface SearchedDocument {
  paths: Record<string, Record<string, SearchedOperation>>;
  components: Record<string, Record<string, { name?: string; properties?: object }>>;
}

const MAX_RESULTS = 50;

/** Opens the search dialog by its button or `/`, and lists operations that contain all words. */
export function addSearch(description: SearchedDocument): void {
  const dialog = document.querySelector('dialog');
  const button = document.querySelector<HTMLButtonElement>('.search');
  const input = dialog?.querySelector('input');
  const list = dialog?.querySelector('ul');
  const status = dialog?.querySelector('[role=status]');
  if (!dialog || !button || !input || !list || !status) return;
  const operations = listOperations(description);
  const update = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = words.length === 0 ? [] : operations.filter(({ text }) => words.every((word) => text.includes(word)));
    const shown = found.length > MAX_RESULTS ? `, the first ${MAX_RESULTS} are listed` : '';
    status.textContent = words.length === 0 ? '' : `Operations found: ${found.length}${shown}.`;
    list.replaceChildren(...found.slice(0, MAX_RESULTS).map((each) => createItem(each, dialog)));
  };
  input.addEventListener('input', update);
  const open = () => {
    dialog.showModal();
    input.select();
    input.focus();
  };
  button.addEventListener('click', open);
  document.addEventListener('keydown', (event) => {
    const [target] = event.composedPath();
    const isTyping = target instanceof HTMLElement && /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
    if (event.key !== '/' || isTyping || dialog.open) return;
    event.preventDefault();
    open();
  });
  button.hidden = false;
}

interface FoundOperation {
  method: string;
  path: string;
  summary: string;
  text: string;
}

function listOperations({ paths, components }: SearchedDocument): FoundOperation[] {
  /** Names of parameters and of the fields of the body. */
  const namesIn = (value: object | undefined): string => {
    const json = JSON.stringify(value ?? {});
    const references = [...json.matchAll(/#\/components\/(\w+)\/([\w.-]+)/g)];
    const fields = references.map(([, section = '', name = '']) => {
      const target = components[section]?.[name];
      return [target?.name, ...Object.keys(target?.properties ?? {})].join(' ');
    });
    return [...[...json.matchAll(/"name":"([^"]+)"/g)].map(([, name]) => name), ...fields].join(' ');
  };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { summary = '', description = '', parameters, requestBody }]) => ({
      ...{ method, path, summary },
      text: [method, path, summary, description, namesIn(parameters), namesIn(requestBody)].join(' ').toLowerCase(),
    })),
  );
}

function createItem({ method, path, summary }: FoundOperation, dialog: HTMLDialogElement): HTMLLIElement {
  const link = document.createElement('a');
  // ID that `openapi-explorer` gives to the operation.
  link.href = `#?route=${method}-${path.replaceAll(/[\s#:?&={}-]+/g, '-')}`;
  const name = document.createElement('code');
  name.textContent = `${method.toUpperCase()} ${path}`;
  link.append(summary, name);
  link.addEventListener('click', () => dialog.close());
  const item = document.createElement('li');
  item.append(link);
  return item;
}
