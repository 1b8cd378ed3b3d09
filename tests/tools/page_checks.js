// What a browser can say of a page: text that is hard to read and what is cut off, in sentences; its words; its signature.
(() => {
  const LEAST_CONTRAST = 4.5; // WCAG 2, level AA, of text of every size here

  const color = text => {
    const found = text.match(/^rgba?\(([\d.]+), ([\d.]+), ([\d.]+)(?:, ([\d.]+))?\)$/);
    if (!found) throw new Error(`a colour of another form: ${text}`);
    return [+found[1], +found[2], +found[3], found[4] === undefined ? 1 : +found[4]];
  };
  const over = (front, back) => [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3])).concat(1);
  const luminance = rgb => {
    const [r, g, b] = rgb.slice(0, 3).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const opacity = element => {
    let product = 1;
    for (let each = element; each; each = each.parentElement) product *= +getComputedStyle(each).opacity;
    return product;
  };
  const faded = (rgba, element, own = 1) => rgba.slice(0, 3).concat(rgba[3] * own * opacity(element));

  // Paper of an element of HTML: the backgrounds of it and what it is in, from the outside in.
  const paper = element => {
    const layers = [];
    for (let each = element; each; each = each.parentElement) layers.unshift(color(getComputedStyle(each).backgroundColor));
    return layers.reduce((below, layer) => over(layer, below), [255, 255, 255, 1]);
  };
  // Of a text in SVG: what was painted before it at its middle, in the order of the document.
  const painted = (text, box) => {
    const svg = text.ownerSVGElement;
    let below = paper(svg.parentElement);
    below = over(color(getComputedStyle(svg).backgroundColor), below);
    for (const shape of svg.querySelectorAll("*")) {
      if (shape === text || shape.contains(text)) { if (shape === text) break; continue; }
      if (!(shape instanceof SVGGeometryElement)) continue;
      const style = getComputedStyle(shape);
      if (style.fill === "none") continue;
      const middle = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2);
      if (!shape.isPointInFill(middle.matrixTransform(shape.getScreenCTM().inverse()))) continue;
      below = over(faded(color(style.fill), shape, +style.fillOpacity), below);
    }
    return below;
  };

  const texts = function* () {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode, element = node.parentElement;
      if (!node.data.trim() || !element.checkVisibility({visibilityProperty: true}) || element.closest("title, style, script")) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const box = range.getBoundingClientRect();
      if (box.width && box.height) yield [node.data.trim(), element, box];
    }
  };
  const hard = () => {
    const found = [];
    for (const [words, element, box] of texts()) {
      const drawn = element instanceof SVGElement, style = getComputedStyle(element);
      const below = drawn ? painted(element, box) : paper(element);
      const ink = over(faded(color(drawn ? style.fill : style.color), element, drawn ? +style.fillOpacity : 1), below);
      const ratio = contrast(ink, below);
      if (!(ratio >= LEAST_CONTRAST)) found.push(`'${words.slice(0, 40)}' has contrast ${ratio.toFixed(2)}, ${ink} on ${below}`);
    }
    return found;
  };
  const cut = () => {
    const found = [], width = document.documentElement.clientWidth;
    for (const element of document.body.querySelectorAll("*")) {
      const box = element.getBoundingClientRect();
      if (box.right > width + 1 || box.left < -1) found.push(`${element.tagName} reaches from ${box.left} to ${box.right} of ${width}`);
      if (element instanceof HTMLElement && element.clientWidth && element.scrollWidth > element.clientWidth + 1 && getComputedStyle(element).overflowX !== "visible")
        found.push(`${element.tagName} hides ${element.scrollWidth - element.clientWidth} of its pixels`);
    }
    return found;
  };
  const words = () => [...texts()].map(([words]) => words);
  const signature = () => document.querySelector(".signature")?.innerText ?? "";
  return {hard, cut, words, signature};
})()
