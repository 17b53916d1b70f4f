import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Grammar, Names } from './names';
import { type Offer, type Completions, offersAt } from './offers';

export type TextElement = HTMLInputElement | HTMLTextAreaElement;

interface CompletedField {
  field: RefObject<TextElement | null>;
  names: Names;
  grammar: Grammar;
  readOnly: boolean;
  onChange: (text: string) => void;
}

/** Completes names in a text field: while typing, and on Ctrl+Space. */
export function useNameOffers({ field, names, grammar, readOnly, onChange }: CompletedField) {
  const [offering, setOffering] = useState<Completions | null>(null);
  const [active, setActive] = useState(0);
  const listId = useId();
  const close = () => setOffering(null);

  const look = (requested = false) => {
    const element = field.current;
    if (!element || readOnly) return;
    const { value, selectionStart, selectionEnd } = element;
    const caret = selectionStart === selectionEnd ? selectionStart : null;
    setOffering(caret === null ? null : offersAt(value, caret, names, grammar, requested));
    setActive(0);
  };
  const take = ({ insert }: Offer) => {
    const element = field.current;
    if (!element || !offering) return;
    const caret = element.selectionStart ?? element.value.length;
    const head = element.value.slice(0, offering.from) + insert;
    flushSync(() => onChange(head + element.value.slice(caret)));
    element.focus();
    element.setSelectionRange(head.length, head.length);
    if (insert.endsWith('.')) look();
    else close();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === ' ' && event.ctrlKey) {
      event.preventDefault();
      return look(true);
    }
    if (!offering || event.altKey || event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
    const count = offering.offers.length;
    const chosen = offering.offers[active];
    if (event.key === 'ArrowDown') setActive((active + 1) % count);
    else if (event.key === 'ArrowUp') setActive((active + count - 1) % count);
    else if ((event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) && chosen) take(chosen);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  /** A click or an arrow key may have moved the caret. */
  const onSelect = () => {
    if (offering) {
      const caret = field.current?.selectionStart ?? -1;
      if (caret < offering.from) close();
    }
  };

  return {
    offering,
    active,
    setActive,
    look,
    take,
    listId,
    fieldProps: {
      onKeyDown,
      onSelect,
      onBlur: close,
      'aria-autocomplete': 'list' as const,
      'aria-controls': offering ? listId : undefined,
      'aria-activedescendant': offering ? optionId(listId, active) : undefined,
    },
  };
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`;
