import { useEffect, useRef } from 'react';
import type { Offer } from './offers';
import { optionId } from './useNameOffers';
import classes from './names.module.css';

interface Props {
  id: string;
  offers: readonly Offer[];
  active: number;
  onActivate: (index: number) => void;
  onChoose: (offer: Offer) => void;
}

/** The focus stays in the field. */
export function NameList({ id, offers, active, onActivate, onChoose }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: 'nearest' });
  }, [active]);
  return (
    <ul
      ref={list}
      id={id}
      role="listbox"
      aria-label="Names"
      className={classes.list}
      // Focusable because it can scroll. Pressing it keeps the focus in the field.
      tabIndex={0}
      onMouseDown={(event) => event.preventDefault()}
    >
      {offers.map((offer, index) => (
        <li
          key={offer.label}
          id={optionId(id, index)}
          role="option"
          aria-selected={index === active}
          className={classes.option}
          onMouseMove={() => onActivate(index)}
          onClick={() => onChoose(offer)}
        >
          <span className={classes.name}>{offer.label}</span>
          <span className={classes.detail}>{offer.detail}</span>
        </li>
      ))}
    </ul>
  );
}
