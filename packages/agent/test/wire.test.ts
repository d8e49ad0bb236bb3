import { frozen } from '@treblehook/core';
import { describe, expect, it } from 'vitest';
import type { Message } from '@treblehook/types';
import { settingsOnWire, toWire, WireHistory } from '../src/model/wire.js';
import { wireNameOf } from '../src/model/wire-name.js';
import { cutMiddle } from '../src/door/tool-result.js';

describe('on the wire', () => {
  it('files are spelled as the kind of the port wants them, also when it changes in the middle', () => {
    const url = new URL('https://example.org/a.png');
    const bytes = new Uint8Array([1]);
    const messages: Message[] = [
      {
        role: 'user',
        content: [
          { type: 'file', mediaType: 'image/png', data: url },
          { type: 'file', mediaType: 'a/b', data: bytes, filename: 'f' },
        ],
      },
    ];
    const history = new WireHistory();
    expect(history.of(messages, false)[0]!.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: url },
      { type: 'file', mediaType: 'a/b', data: bytes, filename: 'f' },
    ]);
    expect(history.of(messages, true)[0]!.content).toEqual([
      { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
      { type: 'file', mediaType: 'a/b', data: { type: 'data', data: bytes }, filename: 'f' },
    ]);
  });

  it('a history is converted once: what was sent before is the same object again', () => {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: 'a' }] }];
    const history = new WireHistory();
    const [first] = history.of(messages, false);
    messages.push({ role: 'assistant', content: [{ type: 'text', text: 'b' }] });
    expect(history.of(messages, false)[0]).toBe(first);
    expect(history.of(messages, false)).toHaveLength(2);
    expect(Object.isFrozen(first)).toBe(true);
  });

  it.each([false, true])(
    'nothing of a message can be written (v4: %s): it is sent again with each later call',
    (isV4) => {
      const data = 'aGk=';
      const messages = frozen<Message[]>([
        { role: 'user', content: [{ type: 'file', mediaType: 'image/png', data }] },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'r', provider: { p: { signature: ['s'] } } },
            { type: 'tool-call', callId: 'a', name: 't', args: { list: [{}] }, provider: { p: {} } },
            { type: 'tool-call', callId: 'b', name: 't', args: 'no object' },
          ],
        },
        { role: 'tool', content: [{ type: 'tool-result', callId: 'a', name: 't', output: 'said', isError: false }] },
      ]);
      const open: string[] = [];
      const look = (value: unknown, at: string): void => {
        if (typeof value !== 'object' || value === null) return;
        if (!Object.isFrozen(value)) open.push(at);
        for (const [key, inner] of Object.entries(value)) look(inner, `${at}.${key}`);
      };
      for (const [at, message] of new WireHistory().of(messages, isV4).entries()) look(message, `${at}`);
      expect(open).toEqual([]);
    },
  );

  it('a system message is one text', () => {
    expect(
      toWire(
        {
          role: 'system',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        false,
      ),
    ).toEqual({ role: 'system', content: 'ab' });
  });

  it('settings have the names of the port; a choice of tools goes only with tools', () => {
    const settings = {
      temperature: 0,
      topP: 0.9,
      maxOutputTokens: 5,
      stop: ['x'],
      seed: 0,
      reasoning: 'low',
      toolChoice: { tool: 'mcp:a/b' },
      responseFormat: { type: 'json', schema: {} },
    } as const;
    const { stop, toolChoice, ...same } = settings;
    expect(settingsOnWire(settings, true)).toEqual({
      ...same,
      stopSequences: ['x'],
      toolChoice: { type: 'tool', toolName: wireNameOf('mcp:a/b') },
    });
    expect(settingsOnWire(settings, false)).not.toHaveProperty('toolChoice');
    expect(settingsOnWire({}, true)).toEqual({});
    void stop;
    void toolChoice;
  });

  it('a name that providers take is its own; any other is a legal one that no other name has', () => {
    expect(wireNameOf('read_file-2')).toBe('read_file-2');
    const odd = ['a.b', 'a:b', 'a b', 'a/b', '', 'x'.repeat(65), 'x'.repeat(66), '日本', '中国'];
    const names = odd.map(wireNameOf);
    expect(new Set(names).size).toBe(odd.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });
});

describe('a text that is cut in the middle', () => {
  it('keeps its ends, fits, and says how much is gone', () => {
    const text = Array.from({ length: 2000 }, (_, at) => at).join(' ');
    for (const max of [200, 333, 1000, 5000]) {
      const cut = cutMiddle(text, max);
      const [head, gone, tail] = cut.split(/\n\[… (\d+) characters cut from the middle of this result …\]\n/) as [
        string,
        string,
        string,
      ];
      expect(cut.length).toBeLessThanOrEqual(max);
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true);
      expect(head.length + Number(gone) + tail.length).toBe(text.length);
    }
    expect(cutMiddle(text, text.length)).toBe(text);
  });

  it('never leaves half a character', () => {
    const text = '😀'.repeat(500);
    for (let max = 100; max < 110; max++) expect(cutMiddle(text, max)).not.toMatch(/\p{Surrogate}/u);
  });

  it('that has no room even for the note has a shorter one, and is never longer than its room', () => {
    expect(cutMiddle('x'.repeat(500), 20)).toBe('[… cut …]');
    for (let max = 0; max < 100; max++) expect(cutMiddle('x'.repeat(500), max).length).toBeLessThanOrEqual(max);
  });
});
