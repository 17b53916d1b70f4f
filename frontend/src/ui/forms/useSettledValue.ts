import { useEffect, useState } from 'react';

/**
 * Returns the last value that stayed unchanged for some milliseconds while the main mouse button was released.
 * Otherwise a new value could move the content during a click. The click would be lost, because its press and release
 * would hit different elements.
 */
export function useSettledValue<T>(value: T, debounceMs: number): T {
  const [settledValue, setSettledValue] = useState(value);
  useEffect(() => {
    let timer: number | undefined;
    let due = false;
    const settle = () => {
      due = true;
      if (!isPressed) setSettledValue(value);
    };
    /** The click event follows directly after the release, so it is awaited. */
    const released = () => {
      if (due) timer = window.setTimeout(settle);
    };
    timer = window.setTimeout(settle, debounceMs);
    window.addEventListener('pointerup', released);
    window.addEventListener('pointercancel', released);
    return () => {
      window.clearTimeout(timer);
      window.removeEventListener('pointerup', released);
      window.removeEventListener('pointercancel', released);
    };
  }, [value, debounceMs]);
  return settledValue;
}

let isPressed = false;
/** Other buttons do not click, and a system menu may hide their release. */
const onPress = ({ type, button }: PointerEvent) => {
  isPressed = type === 'pointerdown' && button === 0;
};
for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const) window.addEventListener(type, onPress, true);
