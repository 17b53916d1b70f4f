import { type RefObject, useEffect, useRef } from 'react';
import type { PlanEdits } from './usePlanForm';

/** Fields whose text is no part of the plan until Enter is pressed. */
const OWN_TEXT = '.mantine-TagsInput-inputField, .mantine-MultiSelect-inputField';

/**
 * Ctrl/Cmd+Z, Ctrl/Cmd+Shift+Z and Ctrl+Y undo and do again what was changed in the form.
 *
 * They do so in text fields too, in the place of the browser's own undo, which knows nothing of steps that were moved
 * and goes wrong once a field has been set by anything but the keyboard. What is typed in one field without a pause is
 * one entry, so that it feels the same. The browser keeps what is typed but not yet part of the plan (a tag before
 * Enter), and the YAML editor has a history of its own.
 */
export function useUndoKeys(frame: RefObject<HTMLElement | null>, edits: PlanEdits, active: boolean): void {
  const latest = useRef(edits);
  useEffect(() => {
    latest.current = edits;
  });
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      const way = wayOf(event);
      if (way === null || event.defaultPrevented || !concerns(frame.current, event.target)) return;
      event.preventDefault();
      latest.current[way]();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [frame, active]);
}

function wayOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 'undo' | 'redo' | null {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 'redo' : 'undo';
  return letter === 'y' && ctrlKey && !shiftKey ? 'redo' : null;
}

/** Where a button that was removed had the focus, keys come to the page's body. */
function concerns(frame: HTMLElement | null, target: EventTarget | null): boolean {
  if (!frame || frame.offsetParent === null || !(target instanceof HTMLElement)) return false;
  if (target === document.body) return true;
  if (!frame.contains(target)) return false;
  return !(target instanceof HTMLInputElement && target.matches(OWN_TEXT) && target.value !== '');
}
