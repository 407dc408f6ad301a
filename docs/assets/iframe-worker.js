// Browsers start no worker for a page that was opened from disk, so the search worker's script runs in a hidden frame.
// The theme's offline plugin looks for a script of this name; without one it would load a package from another site.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(address) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inner = this.frame.contentWindow;
      inner.document.open();
      inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      this.ready = new Promise((resolve) => inner.addEventListener("load", resolve));
      const script = inner.document.createElement("script");
      script.src = address;
      inner.document.write(script.outerHTML);
      inner.document.close();
    }

    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
