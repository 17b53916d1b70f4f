import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

interface Options {
  value: string;
  onChange: (value: string) => void;
  /** Pause in typing after which the text is reported, in ms. */
  pauseMs: number;
}

/** Text of a field that reports it after a pause in typing. Follows the value when something else changes it. */
export function useSettledText({ value, onChange, pauseMs }: Options) {
  const [text, setText] = useState(value);
  const [seenValue, setSeenValue] = useState(value);
  // The back button, a link or a cleared filter may change the URL.
  if (value !== seenValue) {
    setSeenValue(value);
    setText(value);
  }
  const report = useDebouncedCallback((next: string) => {
    setSeenValue(next);
    onChange(next);
  }, pauseMs);
  const write = (next: string) => {
    setText(next);
    report(next);
  };
  return { text, write };
}
