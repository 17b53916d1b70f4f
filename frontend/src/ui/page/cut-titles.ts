/** Marks titles that this module has set, because only those may change. */
const MARK = 'data-cut-title';

/**
 * Gives every text that ends in an ellipsis a title with the whole text, when the pointer comes over it. One listener
 * for the whole application, so that no component can forget the title.
 * @returns function that removes the listener
 */
export function addCutTitles(root: HTMLElement): () => void {
  const onPointer = ({ target }: Event) => {
    for (let box = target instanceof HTMLElement ? target : null; box && box !== root; box = box.parentElement)
      if (getComputedStyle(box).textOverflow === 'ellipsis') return updateTitle(box);
  };
  root.addEventListener('mouseover', onPointer);
  return () => root.removeEventListener('mouseover', onPointer);
}

function updateTitle(box: HTMLElement): void {
  const isOwn = box.hasAttribute(MARK);
  if (!isOwn && box.closest('[title]')) return;
  const text = box instanceof HTMLInputElement ? box.value : (box.textContent ?? '');
  // A password field must not reveal its value.
  const isPassword = box instanceof HTMLInputElement && box.type === 'password';
  const isCut = !isPassword && (box.scrollWidth > box.clientWidth || hasCutLines(box));
  if (isCut && text !== '') {
    box.title = text;
    box.setAttribute(MARK, '');
  } else if (isOwn) {
    box.removeAttribute('title');
    box.removeAttribute(MARK);
  }
}

const hasCutLines = (box: HTMLElement): boolean =>
  getComputedStyle(box).getPropertyValue('-webkit-line-clamp') !== 'none' && box.scrollHeight > box.clientHeight;
