// What a shape in a chart stands for is its title. Shown at once, and by touch too, where a browser
// alone would wait, or show nothing. Without this script all numbers are in the tables.
"use strict";
(() => {
    const tip = document.createElement("div");
    tip.id = "tip";
    tip.hidden = true;
    document.body.append(tip);

    const texts = new Map();
    for (const rect of document.querySelectorAll(".plot rect")) {
        const title = rect.querySelector("title");
        if (title && title.textContent) {
            texts.set(rect, title.textContent);
        }
        if (title) {
            title.remove();
        }
    }

    const show = (event) => {
        const text = texts.get(event.target);
        tip.hidden = text === undefined;
        if (tip.hidden) {
            return;
        }
        tip.textContent = text;
        const box = tip.getBoundingClientRect();
        const left = Math.min(event.clientX + 12, window.innerWidth - box.width - 8);
        const above = event.clientY - box.height - 12;
        tip.style.left = Math.max(8, left) + "px";
        tip.style.top = (above > 8 ? above : event.clientY + 20) + "px";
    };
    document.addEventListener("pointermove", show);
    document.addEventListener("pointerdown", show);
    document.addEventListener("pointerleave", () => {
        tip.hidden = true;
    });
    window.addEventListener("scroll", () => {
        tip.hidden = true;
    }, { passive: true });
})();
