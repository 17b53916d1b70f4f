import { describe, expect, it } from 'vitest';
import { scriptLanguage, templateLanguage } from './languages';

describe('the language of an editor', () => {
  it.each([
    ['', '#!/bin/sh\necho', 'shell'],
    ['', 'echo', 'shell'],
    ['', '#!/usr/bin/env python3\n', 'python'],
    ['/usr/bin/perl', '#!/bin/sh\n', 'perl'],
    ['node --test', '', 'javascript'],
  ])('of a script with the interpreter “%s” and the text %j is %s', (interpreter, content, language) => {
    expect(scriptLanguage(interpreter, content)).toBe(language);
  });

  it.each([
    ['app.yml', '', 'yaml'],
    ['App.JSON', '', 'json'],
    ['nginx.conf', '', 'nginx'],
    ['php.ini', '', 'ini'],
    ['motd', '#!/usr/bin/ruby\n', 'ruby'],
    ['settings', '{ "a": 1 }', 'json'],
    ['settings', '{{ greeting }}', 'ini'],
    ['settings', 'server:\n  port: 1', 'yaml'],
    ['settings', 'port = 1', 'ini'],
  ])('of a template named %s with the text %j is %s', (name, content, language) => {
    expect(templateLanguage(name, content)).toBe(language);
  });
});
