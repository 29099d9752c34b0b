//! The graphics card: what it is, its memory and its programs.

use std::sync::{Arc, OnceLock};

use pollster::block_on;
use wgpu::util::{BufferInitDescriptor, DeviceExt};
use wgpu::{
    Adapter, BindGroup, BindGroupDescriptor, BindGroupEntry, Buffer, BufferDescriptor, BufferUsages,
    ComputePass, ComputePipeline, ComputePipelineDescriptor, Device, DeviceDescriptor, DeviceType, Instance,
    InstanceDescriptor, PipelineCompilationOptions, PowerPreference, Queue, RequestAdapterOptions,
    ShaderModuleDescriptor, ShaderSource,
};

pub(super) struct Card {
    pub(super) device: Device,
    pub(super) queue: Queue,
    pub(super) name: String,
    /// What went wrong first. `wgpu` tells it to a callback.
    failure: Arc<OnceLock<String>>,
}

/// A program of the card, with the names of its constants filled in.
pub(super) struct Kernel(ComputePipeline);

impl Card {
    /// The fastest card of this machine. Programs that play one on the processor are slower than our own kernels.
    pub(super) fn open() -> Result<Self, String> {
        let adapter = fastest()?;
        match adapter.get_info().device_type {
            DeviceType::Cpu => Err("there is none".into()),
            _ => Self::of(&adapter),
        }
    }

    fn of(adapter: &Adapter) -> Result<Self, String> {
        let info = adapter.get_info();
        let (device, queue) = block_on(adapter.request_device(&DeviceDescriptor::default()))
            .map_err(|error| error.to_string())?;
        let failure = Arc::new(OnceLock::new());
        let first = Arc::clone(&failure);
        device.on_uncaptured_error(Arc::new(move |error| {
            first.get_or_init(|| error.to_string());
        }));
        Ok(Self { device, queue, name: format!("{} ({})", info.name, info.backend), failure })
    }

    pub(super) fn check(&self) -> Result<(), String> {
        self.failure.get().map_or(Ok(()), |problem| Err(problem.clone()))
    }

    /// Memory with these values in it.
    pub(super) fn filled(&self, values: &[impl bytemuck::NoUninit]) -> Buffer {
        let contents = bytemuck::cast_slice(values);
        self.device.create_buffer_init(&BufferInitDescriptor {
            label: None,
            contents,
            usage: BufferUsages::STORAGE,
        })
    }

    /// Memory for this many floats.
    pub(super) fn floats(&self, count: usize, usage: BufferUsages) -> Buffer {
        let size = (count * size_of::<f32>()) as u64;
        self.device.create_buffer(&BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
    }

    pub(super) fn kernel(&self, source: &str, constants: &[(&str, f64)]) -> Kernel {
        let source = ShaderSource::Wgsl(source.into());
        let module = self.device.create_shader_module(ShaderModuleDescriptor { label: None, source });
        Kernel(self.device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: None,
            layout: None,
            module: &module,
            entry_point: None,
            compilation_options: PipelineCompilationOptions { constants, ..Default::default() },
            cache: None,
        }))
    }

    /// What `kernel` reads and writes, by the numbers of its bindings.
    pub(super) fn bind(&self, kernel: &Kernel, buffers: &[&Buffer]) -> BindGroup {
        let resources = buffers.iter().map(|buffer| buffer.as_entire_binding());
        let entries: Vec<BindGroupEntry<'_>> =
            (0..).zip(resources).map(|(binding, resource)| BindGroupEntry { binding, resource }).collect();
        let layout = kernel.0.get_bind_group_layout(0);
        self.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &entries,
        })
    }
}

impl Kernel {
    pub(super) fn run(&self, pass: &mut ComputePass<'_>, bindings: &BindGroup, [x, y]: [u32; 2]) {
        pass.set_pipeline(&self.0);
        pass.set_bind_group(0, bindings, &[]);
        pass.dispatch_workgroups(x, y, 1);
    }
}

fn fastest() -> Result<Adapter, String> {
    let instance = Instance::new(InstanceDescriptor::new_without_display_handle());
    let options = RequestAdapterOptions {
        power_preference: PowerPreference::HighPerformance,
        ..RequestAdapterOptions::default()
    };
    block_on(instance.request_adapter(&options)).map_err(|error| error.to_string())
}

#[cfg(test)]
impl Card {
    /// Any card, one that is played by the processor too. `None` where there is not even that.
    pub(super) fn any() -> Option<Self> {
        Self::of(&fastest().ok()?).ok()
    }
}
