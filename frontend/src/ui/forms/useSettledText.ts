import { useDebouncedCallback } from '@mantine/hooks';
import { useState } from 'react';

interface Options {
  value: string;
  onChange: (value: string) => void;
  /** How long typing must pause before the text is reported, in milliseconds. */
  pauseMs: number;
}

/** The text of a field that reports it after a pause in typing, and follows the value when that changes from outside. */
export function useSettledText({ value, onChange, pauseMs }: Options) {
  const [text, setText] = useState(value);
  const [seenValue, setSeenValue] = useState(value);
  // The URL may change from outside: back, a link, a cleared filter.
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
