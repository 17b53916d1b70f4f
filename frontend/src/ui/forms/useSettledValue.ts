import { useEffect, useState } from 'react';

/**
 * A value that has not changed for some milliseconds while the main mouse button is released. Its display moves the
 * content below, and a click whose press and release hit different elements would be lost.
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
    /** The click itself comes right after the release. */
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
/** Other buttons do not click, and a system menu may swallow their release. */
const onPress = ({ type, button }: PointerEvent) => {
  isPressed = type === 'pointerdown' && button === 0;
};
for (const type of ['pointerdown', 'pointerup', 'pointercancel'] as const) window.addEventListener(type, onPress, true);
