import { useEffect, useState } from 'react';

/**
 * A value once it has stayed the same for some milliseconds and the main button of the mouse is not held down: what it shows
 * moves what stands below, and a click that is let go over something else than it was pressed on would be lost.
 */
export function useSettledValue<T>(value: T, settlesMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    let timer: number | undefined;
    let due = false;
    const settle = () => {
      due = true;
      if (!pressed) setSettled(value);
    };
    /** The click itself comes right after the release. */
    const released = () => {
      if (due) timer = window.setTimeout(settle);
    };
    timer = window.setTimeout(settle, settlesMs);
    window.addEventListener('pointerup', released);
    window.addEventListener('pointercancel', released);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('pointerup', released);
      window.removeEventListener('pointercancel', released);
    };
  }, [value, settlesMs]);
  return settled;
}

let pressed = false;
/** The other buttons click nothing, and a menu of the system may keep their release for itself. */
const press = ({ type, button }: PointerEvent) => {
  pressed = type === 'pointerdown' && button === 0;
};
for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const) window.addEventListener(type, press, true);
