import { Popover, Textarea, TextInput, type TextareaProps } from '@mantine/core';
import { type ChangeEvent, useRef } from 'react';
import { NameFaults } from './NameFaults';
import { NameList } from './NameList';
import type { Grammar, Names } from './names';
import { type TextElement, useNameOffers } from './useNameOffers';

const MONO = { input: { fontFamily: 'var(--mantine-font-family-monospace)', fontSize: '12.5px' } };

interface Props
  extends Pick<
    TextareaProps,
    'label' | 'description' | 'placeholder' | 'withAsterisk' | 'error' | 'minRows' | 'maxRows'
  > {
  names: Names;
  grammar: Grammar;
  /** A text of several lines. */
  multiline?: boolean;
  /** Always there; the form's types leave it open. */
  value?: string;
  onChange: (text: string) => void;
  readOnly: boolean;
}

/** A text that names variables and results: it completes them, and says which of them mean nothing. */
export function NameField({ names, grammar, multiline = false, minRows, maxRows, ...field }: Props) {
  const { value = '', onChange, readOnly } = field;
  const element = useRef<TextElement>(null);
  const offers = useNameOffers({ field: element, names, grammar, readOnly, onChange });
  const common = {
    ...field,
    ...offers.fieldProps,
    spellCheck: false,
    autoComplete: 'off',
    styles: MONO,
    onChange: ({ currentTarget }: ChangeEvent<TextElement>) => {
      onChange(currentTarget.value);
      offers.look();
    },
  };
  return (
    <div>
      <Popover
        opened={offers.offering !== null}
        position="bottom-start"
        offset={4}
        width="min(440px, 92vw)"
        withRoles={false}
        trapFocus={false}
        returnFocus={false}
        closeOnEscape={false}
        transitionProps={{ duration: 0 }}
      >
        <Popover.Target>
          {multiline ? (
            // A field of several lines has the role of a text box, which may own a list but has no state of being open.
            <Textarea
              ref={(node) => {
                element.current = node;
              }}
              autosize
              minRows={minRows}
              maxRows={maxRows}
              {...common}
            />
          ) : (
            <TextInput
              ref={(node) => {
                element.current = node;
              }}
              role="combobox"
              aria-expanded={offers.offering !== null}
              {...common}
            />
          )}
        </Popover.Target>
        <Popover.Dropdown p={0}>
          {offers.offering && (
            <NameList
              id={offers.listId}
              offers={offers.offering.offers}
              active={offers.active}
              onActive={offers.setActive}
              onTake={offers.take}
            />
          )}
        </Popover.Dropdown>
      </Popover>
      <NameFaults texts={[value]} names={names} grammar={grammar} />
    </div>
  );
}
