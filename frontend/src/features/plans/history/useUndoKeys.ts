import { type RefObject, useEffect, useRef } from 'react';
import type { PlanEdits } from './usePlanForm';

/** Fields whose text becomes part of the plan only on Enter. */
const OWN_UNDO_FIELDS = '.mantine-TagsInput-inputField, .mantine-MultiSelect-inputField';

/**
 * Handles Ctrl/Cmd+Z, Ctrl/Cmd+Shift+Z and Ctrl+Y. They replace the browser's undo in text fields, which does not cover
 * moved steps and fails after code has set a field. Continuous typing in one field is one entry.
 *
 * The browser's undo stays for text that is not yet part of the plan, such as a tag before Enter. The YAML editor has
 * its own undo.
 */
export function useUndoKeys(frame: RefObject<HTMLElement | null>, edits: PlanEdits, active: boolean): void {
  const latest = useRef(edits);
  useEffect(() => {
    latest.current = edits;
  });
  useEffect(() => {
    if (!active) return;
    const onKey = (event: KeyboardEvent) => {
      const direction = directionOf(event);
      if (direction === null || event.defaultPrevented || !concerns(frame.current, event.target)) return;
      event.preventDefault();
      latest.current[direction]();
    };
    window.addEventListener('keydown', onKey);
    return () => window.removeEventListener('keydown', onKey);
  }, [frame, active]);
}

function directionOf({ key, ctrlKey, metaKey, shiftKey, altKey }: KeyboardEvent): 'undo' | 'redo' | null {
  if (!(ctrlKey || metaKey) || altKey) return null;
  const letter = key.toLowerCase();
  if (letter === 'z') return shiftKey ? 'redo' : 'undo';
  return letter === 'y' && ctrlKey && !shiftKey ? 'redo' : null;
}

/** The page's body receives the keys when a focused button was removed. */
function concerns(frame: HTMLElement | null, target: EventTarget | null): boolean {
  if (!frame || frame.offsetParent === null || !(target instanceof HTMLElement)) return false;
  if (target === document.body) return true;
  if (!frame.contains(target)) return false;
  return !(target instanceof HTMLInputElement && target.matches(OWN_UNDO_FIELDS) && target.value !== '');
}
