// SPDX-License-Identifier: Apache-2.0
// The page's script: search, filters, copy buttons, and opening what a link leads to. It makes no
// element from text of the results, and nothing on the page needs it to be read.
'use strict';(() => {
const $ = id => document.getElementById(id), all = (q, e) => [...(e || document)
.querySelectorAll(q)];
const texts = new Map(), text = e => texts.get(e) ||
  (texts.set(e, e.textContent.toLowerCase()), texts.get(e));
// Copy buttons stand beside the commands.
for (const pre of all('pre.command')) {
  const words = pre.textContent, button = document.createElement('button');
  button.type = 'button'; button.textContent = 'copy';
  button.setAttribute('aria-label', 'copy the command');
  button.onclick = async () => {
    try { await navigator.clipboard.writeText(words); }
    catch { const range = document.createRange(); range.selectNodeContents(pre.firstChild);
      getSelection().removeAllRanges(); getSelection().addRange(range);
      document.execCommand('copy'); }
    button.textContent = 'copied'; setTimeout(() => button.textContent = 'copy', 1500); };
  pre.append(button);
}
// A link opens whatever holds its place.
const open = () => { let e = location.hash.length > 1 && $(location.hash.slice(1));
  const place = e; if (!e) return;
  for (; e; e = e.parentElement) if (e.tagName == 'DETAILS') e.open = true;
  place.scrollIntoView(); };
addEventListener('hashchange', open); open();
// Rows of a list are shown where they, or the heading above them, hold the words.
const search = $('search'), kind = $('kind'), target = $('target');
if (!search) return;
$('tools').hidden = false;
const has = (e, words) => words.every(w => text(e).includes(w));
const filter = () => {
  const words = search.value.toLowerCase().split(/\s+/).filter(w => w); let found = 0;
  const rows = (list, heading) => { let shown = 0;
    const whole = !words.length || heading && has(heading, words);
    for (const e of list) { const yes = whole || has(e, words);
      e.hidden = !yes; shown += yes; }
    found += shown; return shown; };
  for (const e of all('.cause')) {
    const k = e.parentElement.dataset.kind, t = e.dataset.target;
    const wanted = (!kind.value || k == kind.value) &&
      (!target.value || t == target.value);
    e.hidden = !wanted || !rows(all('.failure, .names > li', e), e.firstElementChild);
    if (words.length && !e.hidden) for (const d of [e, ...all(':scope > details', e)])
      if (!d.classList.contains('failure')) d.open = true;
  }
  for (const e of all('.kind')) {
    e.hidden = all('.cause', e).every(c => c.hidden);
    if (words.length || kind.value || target.value) e.open = true;
  }
  for (const e of all('.list')) {
    e.hidden = !!words.length && !rows(all('li', e));
    if (!words.length) for (const li of all('li[hidden]', e)) li.hidden = false;
    if (words.length) e.open = !e.hidden;
  }
  for (const e of all('.suite')) if (words.length)
    e.open = all('.list', e).some(l => !l.hidden);
  $('found').textContent = words.length ? found + ' found' : '';
};
let timer;
search.oninput = () => { clearTimeout(timer); timer = setTimeout(filter, 150); };
kind.onchange = target.onchange = filter;
})();
