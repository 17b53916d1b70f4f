import { Popover, Textarea, TextInput, type TextareaProps } from '@mantine/core';
import { type ChangeEvent, useRef } from 'react';
import { NameFaults } from './NameFaults';
import { NameList } from './NameList';
import type { Grammar, Names } from './names';
import { type TextElement, useNameOffers } from './useNameOffers';

const MONO = { input: 'rw-mono' };

interface Props
  extends Pick<
    TextareaProps,
    'label' | 'description' | 'placeholder' | 'withAsterisk' | 'error' | 'minRows' | 'maxRows'
  > {
  names: Names;
  grammar: Grammar;
  multiline?: boolean;
  /** Always set, although the form's types make it optional. */
  value?: string;
  onChange: (text: string) => void;
  readOnly: boolean;
}

/** Text input that completes variables and results, and reports unknown names. */
export function NameField({ names, grammar, multiline = false, minRows, maxRows, ...field }: Props) {
  const { value = '', onChange, readOnly } = field;
  const element = useRef<TextElement>(null);
  const offers = useNameOffers({ field: element, names, grammar, readOnly, onChange });
  const common = {
    ...field,
    ...offers.fieldProps,
    spellCheck: false,
    autoComplete: 'off',
    classNames: MONO,
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
            // A multi-line field has the role `textbox`, which may own a list but has no expanded state.
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
              onActivate={offers.setActive}
              onChoose={offers.take}
            />
          )}
        </Popover.Dropdown>
      </Popover>
      <NameFaults texts={[value]} names={names} grammar={grammar} />
    </div>
  );
}
